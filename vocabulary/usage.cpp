#include "sluice/usage.h"

#include "base/enum_names.h"

namespace sluice {

std::string_view to_string(JobUsage::Source source) {
  static constexpr EnumNames<JobUsage::Source::reported> kNames{"cgroup", "processes", "reported"};
  return kNames.of(source);
}

}  // namespace sluice
