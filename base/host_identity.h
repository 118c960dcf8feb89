#pragma once

#include <string>

namespace sluice {

/// The host name.
std::string this_host_name();

/// /proc/sys/kernel/random/boot_id; empty if there is none.
std::string this_boot();

}  // namespace sluice
