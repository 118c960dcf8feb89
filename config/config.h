#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "metrics/options.h"
#include "service/options.h"
#include "sluice/autoscale.h"
#include "sluice/options.h"

namespace sluice {

/// The largest configuration file accepted: 1 MiB.
inline constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

/// A position in a configuration file. Both count from 1; columns count bytes.
struct ConfigPosition {
  int line = 0;
  int column = 0;

  auto operator<=>(const ConfigPosition&) const = default;
};

/// One error in a configuration. Line 0 means the file as a whole, column 0 the whole line.
struct ConfigError {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;

  bool operator==(const ConfigError&) const = default;
};

/// `file:line:column: message`; omits the column, or line and column, if 0.
std::string to_string(const ConfigError& error);

/// A valid configuration. A default-constructed one holds the defaults; set its `cpus`, since the
/// effective values of some defaults depend on it.
struct Config {
  Options governing;
  ServiceOptions service;
  BuildOptions build;
  StatsdOptions statsd;
  std::vector<GearmanOptions> work_sources;
  AutoscaleOptions autoscale;  ///< Of `sluice autoscale`; `max` may be missing.
  double cpus = 1;             ///< The CPUs this machine may use, for which it was checked; > 0.
  std::string file;            ///< The name shown to people; may be empty.
  std::string text;            ///< As it was read.
  /// Whether the file holds a document. A file without one is as likely truncated or not written
  /// yet as it means the defaults; `{}` means the defaults.
  enum class Content { nothing, document };
  Content content = Content::nothing;
  /// The position of each given value, by its path: "window.initial".
  std::map<std::string, ConfigPosition> given;
  /// Whether it gives a value, or has a member of a collection, if only by name: `queues: {a: {}}`.
  bool has_settings = false;
};

/// A configuration, or all its errors in file order. Errors after the hundredth are only counted.
using ConfigResult = std::variant<Config, std::vector<ConfigError>>;

/// Parses YAML text. Pure and thread-safe; never throws, whatever the bytes. `cpus` > 0 is the
/// number of CPUs this machine may use, fractional under a quota; comparisons use it to resolve
/// points per CPU. `file_name` appears only in messages.
ConfigResult parse_config(std::string_view text, std::string file_name, double cpus);

/// A value that replaces what a text says: "window.initial" and "30", as YAML.
struct ConfigSetting {
  std::string path, value;
};

/// As `parse_config`, with other values. An error in one of them has no line.
ConfigResult parse_config_with(std::string_view text, const std::vector<ConfigSetting>& settings,
                               std::string file_name, double cpus);

/// Reads a file of at most `kMostConfigBytes`. An unreadable file gives an error without a line.
ConfigResult read_config(const std::string& path, double cpus);

/// As much of a configuration as could be read, and its errors in file order. Wrong values stay at
/// their defaults.
struct PartialConfig {
  Config config;
  std::vector<ConfigError> errors;
};

/// As `read_config`, for callers that check more of a configuration even if it has errors.
PartialConfig read_partial_config(const std::string& path, double cpus);

/// The errors in file order, those of the file as a whole first. Keeps an error in an aliased value
/// once, however often the alias is used; errors after the hundredth are only counted.
std::vector<ConfigError> sorted_by_position(std::vector<ConfigError> errors);

}  // namespace sluice
