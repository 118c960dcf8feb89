#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "cli/replay/run.h"

namespace sluice::cli {

/// Maximum length of a line in a jobs file, in bytes.
inline constexpr std::size_t kMostJobLineBytes = std::size_t{1} << 20;

/// A jobs file, one JSON object per line, read as the replay advances: it may be larger than
/// memory. Skips blank lines. The jobs must be in order of `at`. If the file cannot be opened, the
/// error has no line number.
std::variant<JobSource, ConfigError> jobs_from_file(const std::string& path);

/// Parses the lines of such a file. Reuses its memory for every line.
class JobLineParser {
 public:
  JobLineParser();
  ~JobLineParser();

  /// Returns the job, or the problem with the line, naming the field.
  std::variant<ScenarioJob, std::string> parse(std::string_view line);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace sluice::cli
