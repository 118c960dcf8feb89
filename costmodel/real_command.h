#pragma once

#include <span>
#include <string>
#include <vector>

namespace sluice {

/// A command without its wrappers, for `program_of` and `job_key`.
struct RealCommand {
  std::string program;             ///< Its file name, or that of the script it interprets.
  std::vector<std::string> words;  ///< All words, including the program but not redirections.
};

/// Pure; accepts any command.
RealCommand real_command(std::span<const std::string> command);

/// The last part of a path.
std::string base_name(const std::string& path);

}  // namespace sluice
