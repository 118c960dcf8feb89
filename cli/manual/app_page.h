#pragma once

#include <vector>

#include "cli/command_line/cli11.h"
#include "cli/manual/page.h"

namespace sluice::cli {

/// The page of a command from its options, description and footer, as its --help has them; with the
/// subcommands that have no page of their own. Without environment, files and references. Pure.
ManualPage page_of(const CLI::App& app);

/// The page of the command whose subcommands have pages of their own, and these. Pure.
std::vector<ManualPage> pages_of(const CLI::App& command);

}  // namespace sluice::cli
