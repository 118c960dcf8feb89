#pragma once

#include <string>

#include "metrics/service_facts.h"

namespace sluice {

/// Fills in what the kernel knows of this process: CPU time, memory, descriptors, start.
void look_at_process(ServiceFacts& facts);

/// What this machine calls itself.
std::string this_host_name();

}  // namespace sluice
