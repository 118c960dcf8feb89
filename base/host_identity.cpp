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

std::string this_boot() {
  const std::string text = beginning_of("/proc/sys/kernel/random/boot_id", 4096);
  return text.substr(0, text.find('\n'));
}

}  // namespace sluice
