#include "sluice/usage.h"

namespace sluice {

std::string_view to_string(JobUsage::Source source) {
  switch (source) {
    case JobUsage::Source::cgroup:
      return "cgroup";
    case JobUsage::Source::processes:
      return "processes";
    case JobUsage::Source::reported:
      return "reported";
  }
  return "";
}

}  // namespace sluice
