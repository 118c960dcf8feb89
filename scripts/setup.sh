# Installs what is missing from Debian's packages; sourced by ./run and ./test.
#
#   need PACKAGE...        installs packages that are not there yet
#   need_boost             any Boost from 1.81 on: headers only, so nothing is linked
#   need_prometheus        prometheus and promtool, unpacked below build/tools and not installed,
#                          so that no service is left started
#   need_podman            podman likewise, with what it needs; sets podman to the program
#   need_gearmand          gearmand likewise, with the libraries that it needs, and the gearman command

say() { printf '%s\n' "sluice: $*" >&2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$'; }

apt_updated=
apt_update() {
  [ -n "$apt_updated" ] && return
  as_root apt-get update -qq
  apt_updated=yes
}

need() {
  local missing=() package
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  apt_update
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-remove --no-install-recommends "${missing[@]}" >/dev/null
}

# Downloads a package and unpacks it as a folder, which is there whole or not at all.
unpack() {
  local package=$1 target=$2 download
  apt_update
  download=$(mktemp -d)
  (cd "$download" && apt-get download -qq "$package" 2>/dev/null)
  rm -rf "$target.part"
  mkdir -p "$target.part"
  dpkg -x "$download"/*.deb "$target.part"
  mv "$target.part" "$target"
  rm -r "$download"
}

boost_version() {
  awk '$1 == "#define" && $2 == "BOOST_VERSION" {print $3}' "$1/include/boost/version.hpp" 2>/dev/null || true
}

need_boost() {
  local version package
  version=$(boost_version /usr)
  [ "${version:-0}" -ge 108100 ] && return
  apt_update
  for package in libboost1.81-dev libboost1.83-dev libboost1.88-dev; do
    apt-cache show "$package" >/dev/null 2>&1 && break
  done
  if [ -z "$version" ]; then
    need "$package"
    return
  fi
  # An older Boost's headers are installed and cannot stand beside newer ones.
  local prefix=$PWD/build/tools/boost
  if [ ! -d "$prefix" ]; then
    say "unpacking $package below build/tools: Boost $version is installed, 1.81 is needed"
    unpack "$package" "$prefix"
  fi
  export SLUICE_PREFIX_PATH=$prefix/usr
}

need_prometheus() {
  local prefix=$PWD/build/tools/prometheus
  [ -d "$prefix" ] && return
  say "unpacking prometheus below build/tools, for the tests"
  unpack prometheus "$prefix"
}

need_podman() {
  need runc conmon catatonit golang-github-containers-common
  podman=$(command -v podman || true)
  [ -z "$podman" ] || return 0
  local prefix=$PWD/build/tools/podman libraries
  podman=$prefix/usr/bin/podman
  [ ! -d "$prefix" ] || return 0
  apt_update
  libraries=$(apt-cache depends podman | awk '$1 == "Depends:" && $2 ~ /^lib/ {print $2}')
  # shellcheck disable=SC2086  # one word for each
  need $libraries
  say "unpacking podman below build/tools, for the tests"
  unpack podman "$prefix"
}

need_gearmand() {
  local prefix=$PWD/build/tools/gearmand
  [ -d "$prefix" ] && installed gearman-tools && return
  apt_update
  local libraries
  libraries=$(apt-cache depends gearman-job-server | awk '$1 == "Depends:" && $2 ~ /^lib/ {print $2}')
  # shellcheck disable=SC2086  # one word for each
  need gearman-tools $libraries
  say "unpacking gearmand below build/tools, for the tests"
  unpack gearman-job-server "$prefix"
}

image_packages=(buildah patchelf binutils)
build_packages=(g++ cmake ninja-build libyaml-cpp-dev prometheus-cpp-dev libspdlog-dev libfmt-dev
                libcli11-dev libsqlite3-dev libcgroup-dev libssl-dev libjs-dygraphs pkg-config)

# configure_and_build PRESET [TARGET...]
configure_and_build() {
  local preset=$1
  shift
  say "building ($preset)"
  cmake --preset "$preset" >"$PWD/build/$preset.log" 2>&1 || { cat "$PWD/build/$preset.log" >&2; exit 1; }
  cmake --build --preset "$preset" ${1:+--target "$@"} >&2
}
