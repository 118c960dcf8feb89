#include "base/host_identity.h"

#include <unistd.h>

#include <array>
#include <fstream>

namespace sluice {

std::string this_host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string this_boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return boot;
}

}  // namespace sluice
