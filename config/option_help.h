#pragma once

#include <string>
#include <vector>

namespace sluice {

/// A section or an option of a configuration.
struct ConfigName {
  std::string name;     ///< "window", "window.initial", "queues.NAME.paused"
  std::string meaning;  ///< The first sentence about it.
};

/// Every section and option, each once, in the order of the reference.
std::vector<ConfigName> config_names();

/// What the reference says of one option.
struct OptionHelp {
  std::string path;      ///< "window.initial"
  std::string kind;      ///< That its section must have; empty for most.
  std::string values;    ///< "duration, at least 10ms and at most 1h"
  std::string fallback;  ///< "`1s`", "required"
  std::string meaning;
  std::string example;
};

/// The options that a name stands for: one, all of a section, or all of them for an empty name. A
/// part of the name may stand for NAME: "queues.nightly.paused", "rules[0].do". Empty if there is
/// no such option. Pure.
std::vector<OptionHelp> option_help(const std::string& name);

/// The same as lines for a terminal of 100 columns. Pure.
std::string to_text(const std::vector<OptionHelp>& options);

}  // namespace sluice
