#include "base/host_identity.h"

#include <unistd.h>

#include <array>

#include "base/process_table.h"

namespace sluice {

std::string this_host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string this_boot() { return first_line_of("/proc/sys/kernel/random/boot_id"); }

}  // namespace sluice
