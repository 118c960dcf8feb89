#pragma once

#include "metrics/service_facts.h"

namespace sluice {

/// Fills in what the kernel knows of this process: CPU time, memory, descriptors, start.
void look_at_process(ServiceFacts& facts);

}  // namespace sluice
