#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "cli/replay/run.h"

namespace sluice::cli {

/// Longest line of a file of jobs, in bytes.
inline constexpr std::size_t kMostJobLineBytes = std::size_t{1} << 20;

/// A file of jobs, one JSON object a line, read as the replay goes: it may be larger than memory.
/// Blank lines are left out. The jobs must be in order of `at`. A file that cannot be opened is an
/// error without a line.
std::variant<JobSource, ConfigError> jobs_from_file(const std::string& path);

/// Reads lines of such a file. Holds memory that every line uses again.
class JobLineParser {
 public:
  JobLineParser();
  ~JobLineParser();
  JobLineParser(const JobLineParser&) = delete;
  JobLineParser& operator=(const JobLineParser&) = delete;

  /// The job, or what is wrong with the line, naming the field.
  std::variant<ScenarioJob, std::string> parse(std::string_view line);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace sluice::cli
