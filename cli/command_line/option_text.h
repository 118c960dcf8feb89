#pragma once

#include <string>
#include <vector>

#include "cli/command_line/cli11.h"

namespace sluice::cli {

/// What the help says of an option, in parts.
struct OptionText {
  std::vector<std::string> names;  ///< "-k", "--keep-order"; empty for a positional.
  std::string value;               ///< The name of its value, "FILE"; empty for a flag.
  std::vector<std::string> words;  ///< The values that it may have; empty if there is no list.
  std::string range;               ///< "1 to 100"; empty if it has none.
  std::string fallback;            ///< Its default, if the help says it beside the name.
  std::string meaning;
  std::vector<std::string> needs, excludes;  ///< Names of other options.
};

/// Pure.
OptionText option_text(const CLI::Option& option);

/// "--max", "-k" or, of a positional, "command".
std::string option_name(const CLI::Option& option);

/// "sluice config check"
std::string command_name(const CLI::App& app);

/// Whether its value may have any bytes, not only UTF-8: it is the path of a file, a command, or a
/// positional, which is either of these or names what is there already. Pure.
bool takes_any_bytes(const CLI::Option& option);

/// Whether it runs a command: from that command's first word on, options belong to it.
bool runs_a_command(const CLI::App& app);

/// The innermost subcommand that a parsed call chose; `app` itself if none.
const CLI::App& chosen_command(const CLI::App& app);

/// The shown subcommands, in order.
std::vector<const CLI::App*> shown_commands(const CLI::App& app);

/// The subcommand of this name; null if there is none.
const CLI::App* find_command(const CLI::App& app, const std::string& name);

}  // namespace sluice::cli
