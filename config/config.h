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

/// The largest configuration that is read: 1 MiB.
inline constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

/// A place in a configuration file. Both count from 1; columns count bytes.
struct ConfigPosition {
  int line = 0;
  int column = 0;

  auto operator<=>(const ConfigPosition&) const = default;
};

/// One thing wrong with a configuration. Line 0: the file as a whole; column 0: the line.
struct ConfigError {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;

  bool operator==(const ConfigError&) const = default;
};

/// `file:line:column: message`, without the column or both where there is none.
std::string to_string(const ConfigError& error);

/// A configuration that was read and found valid. A default-constructed one holds the defaults;
/// set `cpus` then, which the effective values of some defaults depend on.
struct Config {
  Options governing;
  ServiceOptions service;
  StatsdOptions statsd;
  std::vector<GearmanOptions> work_sources;
  AutoscaleOptions autoscale;  ///< Of `sluice autoscale`; `max` may be missing.
  double cpus = 1;             ///< What it was checked against: the CPUs this machine may use, > 0.
  std::string file;            ///< As it is to be named to people; may be empty.
  /// Whether the file holds a document at all. One that holds none was cut off, or is not there
  /// yet, as likely as it means the defaults; `{}` means them.
  enum class Content { nothing, document };
  Content content = Content::nothing;
  /// Where each value that was given stands, by its path: "window.initial".
  std::map<std::string, ConfigPosition> given;
};

/// A configuration, or all that is wrong with it in the order of the file. After the hundredth
/// error the rest is only counted.
using ConfigResult = std::variant<Config, std::vector<ConfigError>>;

/// Reads YAML text. Pure and thread-safe; never throws for any bytes. `cpus` > 0 is what this
/// machine may use, a fraction under a quota: it resolves points per CPU where values are
/// compared. `file_name` is only for messages.
ConfigResult parse_config(std::string_view text, std::string file_name, double cpus);

/// Reads a file of at most `kMostConfigBytes`. A file that cannot be read is an error without a
/// line.
ConfigResult read_config(const std::string& path, double cpus);

/// A configuration as far as it can be read, and what is wrong with it, in the order of the file:
/// what is wrong stays at its default.
struct ConfigReading {
  Config config;
  std::vector<ConfigError> errors;
};

/// As `read_config`, for whoever has more to check of a configuration that has errors already.
ConfigReading read_what_can_be(const std::string& path, double cpus);

/// The errors in the order of the file, those of the file as a whole first; after the hundredth
/// the rest is only counted.
std::vector<ConfigError> in_order_of_file(std::vector<ConfigError> errors);

/// One option as it is in force.
struct EffectiveValue {
  std::string path;    ///< "window.initial"
  std::string value;   ///< As it would be written in YAML: "10/cpu", "30s", "null", "[/a, /b]".
  std::string origin;  ///< "default", "default for adaptive", "sluice.yaml:3:5".

  bool operator==(const EffectiveValue&) const = default;
};

/// Every option in the order of the reference, own sensors included. Writing all of them to a
/// file gives a configuration that means the same.
std::vector<EffectiveValue> effective_values(const Config& config);

/// The effective values as an aligned table for people, a line each, without colours.
std::string describe(const Config& config);

/// The reference of all options, as it is kept in docs/config.md.
std::string config_reference_markdown();

}  // namespace sluice
