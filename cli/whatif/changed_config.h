#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace sluice::cli {

/// The configuration `text`, called `name` in errors, with other values. If the text alone is
/// valid, each error names the `--set` that causes it on its own, or all of them. Pure.
ConfigResult changed_config(const std::string& text, const std::vector<ConfigSetting>& settings,
                            const std::string& name, double cpus);

}  // namespace sluice::cli
