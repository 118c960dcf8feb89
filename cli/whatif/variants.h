#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/config.h"

namespace sluice::cli {

/// What one row of a what-if has different from the record.
struct Variant {
  std::string name;  ///< "window.law=rfc, 4 CPUs".
  std::optional<std::string> config_file;
  std::vector<ConfigSetting> settings;
  std::optional<double> cpus;
  std::optional<Bytes> memory;
};

/// The values to try, as options give them.
struct Grid {
  std::vector<std::string> config_files;
  std::vector<std::string> settings;  ///< "window.law=knee,rfc"; those of one option are joined.
  std::string cpus, memory;           ///< "2,4", "4GiB,8GiB"; empty for the recorded.
};

inline constexpr std::size_t kMostVariants = 1000;

/// All combinations, in the order of the options, each value once; or what is wrong with one.
std::variant<std::vector<Variant>, std::string> variants_of(const Grid& grid);

/// The configuration `text`, called `name` in errors, with other values. If the text alone is
/// valid, each error names the `--set` that causes it on its own, or all of them. Pure.
ConfigResult changed_config(const std::string& text, const std::vector<ConfigSetting>& settings,
                            const std::string& name, double cpus);

}  // namespace sluice::cli
