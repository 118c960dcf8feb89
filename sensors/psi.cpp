#include "sensors/psi.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/descriptors.h"
#include "base/enum_names.h"
#include "base/text.h"

namespace sluice {
namespace {

/// 0 if the file can be read, else the errno.
int error_of_reading(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char byte = 0;
  return file && ::read(file.get(), &byte, 1) >= 0 ? 0 : errno;
}

Result<PsiSample> sample(KeptFile& file, const std::string& called) {
  const auto psi = read_parsed(file, parse_psi);
  if (!value_in(psi)) return failure_in(psi);
  return PsiSample{*value_in(psi), called};
}

}  // namespace

std::string_view name_of(PsiKind kind) {
  static constexpr EnumNames<PsiKind::io> kNames{"cpu", "memory", "io"};
  return kNames.of(kind);
}

std::vector<std::string> psi_paths(const CgroupPlaces& places, PsiKind kind) {
  const std::string name(name_of(kind));
  std::vector<std::string> all;
  if (places.unified.place) all = folders_of(*places.unified.place);
  for (std::string& folder : all) folder += "/" + name + ".pressure";
  all.push_back("/proc/pressure/" + name);
  return all;
}

bool measures_psi(const HostPaths& paths, const CgroupPlaces& places, PsiKind kind) {
  for (const std::string& path : psi_paths(places, kind)) {
    const int error = error_of_reading(paths.at(path));
    if (error != ENOENT && error != EOPNOTSUPP) return true;
  }
  return false;
}

std::string NearestPsi::host_path() const {
  return paths_.at("/proc/pressure/") + std::string(name_of(kind_));
}

void NearestPsi::choose() {
  std::string best = host_path();
  const CgroupPlaces places = find_cgroups(paths_);
  const std::vector<std::string> candidates = psi_paths(places, kind_);
  called_ = candidates.back();
  for (const std::string& path : candidates) {
    if (error_of_reading(paths_.at(path)) != 0) continue;
    best = paths_.at(path);
    const bool is_in_group = path != candidates.back();
    called_ = is_in_group ? places.unified.place->called(path) : path;
    break;
  }
  if (best != chosen_.path()) {
    chosen_ = KeptFile(std::move(best), kMostFileBytes, KeptFile::Content::one_record);
  }
}

Result<PsiSample> NearestPsi::read(TimePoint now) {
  if (rescan_.is_due(now)) choose();
  auto result = sample(chosen_, called_);
  if (!value_in(result)) rescan_.soon();
  return result;
}

std::string NearestPsi::folder() const {
  const std::string& path = chosen_.path();
  return path == host_.path() ? std::string() : path.substr(0, path.rfind('/'));
}

Result<std::optional<PsiSample>> NearestPsi::read_host() {
  if (chosen_.path() == host_.path()) return std::optional<PsiSample>();
  auto result = sample(host_, "/proc/pressure/" + std::string(name_of(kind_)));
  if (value_in(result)) return std::optional(std::get<PsiSample>(std::move(result)));
  if (host_.is_absent()) return std::optional<PsiSample>();
  return failure_in(result);
}

}  // namespace sluice
