#pragma once

#include "metrics/service_facts.h"

namespace sluice {

/// Fills in the kernel's figures for this process: CPU time, memory, descriptors, start.
void fill_process_facts(ServiceFacts& facts);

}  // namespace sluice
