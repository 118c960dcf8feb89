// Lists of CPUs: /sys/devices/system/cpu/online and Cpus_allowed_list of /proc/self/status.
#include "sensors/files/procfs.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

void check(std::optional<int> cpus) {
  require(!cpus || (*cpus > 0 && *cpus <= 1 << 20), "there is at least one CPU, not too many");
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  check(count_cpus(text));
  check(parse_cpus_allowed(text));
}
