#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::cli {

/// One command that the demo runs.
struct WorkItem {
  std::string name;               ///< For people: the file to compile, or the command.
  std::vector<std::string> argv;  ///< Program and arguments.
  std::string directory;          ///< Working directory; empty for this process's.
};

/// The commands to run, or one line that says why they cannot be read.
using Workload = std::variant<std::vector<WorkItem>, std::string>;

/// Splits a command line as the compile database format defines it: at blanks, with quotes and
/// backslashes, and no other shell syntax.
std::vector<std::string> split_command(std::string_view command);

/// A compile database (compile_commands.json, a JSON array of directory, file, and command or
/// arguments) as a workload that writes its objects to `output_folder` instead of the build folder.
Workload from_compile_commands(std::string_view json, const std::string& output_folder);

/// One shell command per line; skips blank lines and lines that begin with #.
Workload from_lines(std::string_view text);

/// Small jobs that every host can run: some compute, some hold memory, some wait.
std::vector<WorkItem> built_in_jobs();

/// Exactly `count` items: the first ones, repeated from the start if there are too few. Objects of
/// repeated items get names of their own.
std::vector<WorkItem> repeated(const std::vector<WorkItem>& items, std::size_t count);

}  // namespace sluice::cli
