#pragma once

#include "cli/command_line/cli11.h"
#include "cli/manual/page.h"

namespace sluice::cli {

/// Adds the files and variables that a command with these options uses or sets. Pure.
void add_surroundings(ManualPage& page, const CLI::App& app);

/// Adds to each page the pages that a reader may want next. Pure.
void add_references(std::vector<ManualPage>& pages);

}  // namespace sluice::cli
