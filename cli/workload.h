#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::cli {

/// One command that the demo runs.
struct WorkItem {
  std::string name;               ///< For people: the file that is compiled, or the command.
  std::vector<std::string> argv;  ///< Program and arguments.
  std::string directory;          ///< Where to run it; empty: here.
};

/// What to run, or why that cannot be told: one line.
using Workload = std::variant<std::vector<WorkItem>, std::string>;

/// The words of a command line as the compile database format defines them: split at blanks,
/// with quotes and backslashes, and nothing else of a shell.
std::vector<std::string> split_command(std::string_view command);

/// A compile database (compile_commands.json, a JSON array of directory, file, and command or
/// arguments) as a workload that writes its objects into `output_folder`, not where the build
/// wants them.
Workload from_compile_commands(std::string_view json, const std::string& output_folder);

/// One shell command a line; blank lines and lines that begin with # are left out.
Workload from_lines(std::string_view text);

/// Exactly `count` items: the first ones, and from the start again where there are too few.
/// Objects of the repeated ones get names of their own.
std::vector<WorkItem> repeated(const std::vector<WorkItem>& items, std::size_t count);

}  // namespace sluice::cli
