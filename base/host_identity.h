#pragma once

#include <string>

namespace sluice {

/// What this machine calls itself.
std::string this_host_name();

/// /proc/sys/kernel/random/boot_id; empty where there is none.
std::string this_boot();

}  // namespace sluice
