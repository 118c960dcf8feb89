#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "service/jobserver/auth_style.h"

namespace sluice::cli {

/// The tool that runs the jobs of a build, as its command and its surroundings tell.
struct BuildTool {
  std::string name;  ///< "make", "ninja 1.11", "cmake"; for messages.
  /// Of what takes the tokens: below cmake its generator's.
  jobserver::ClientKind kind = jobserver::ClientKind::other;
  bool takes_tokens = true;                        ///< ninja before 1.13 does not.
  std::string program;                             ///< To ask for its version.
  std::optional<jobserver::Version> version = {};  ///< Of ninja.
};

/// The value of an environment variable, or null.
using EnvironmentVariable = std::function<const char*(const char*)>;

/// What must be known of this host to tell the tool.
struct ToolSurroundings {
  /// The contents of a file; empty if it cannot be read.
  std::function<std::string(const std::string& path)> contents;
  /// The version that a program reports.
  std::function<std::optional<jobserver::Version>(const std::string& program)> version;
};

/// The tool behind a command without its wrappers. `cmake --build FOLDER` is known by the generator
/// in the folder's CMakeCache.txt. Apart from `surroundings` pure.
BuildTool build_tool(const std::vector<std::string>& words, const ToolSurroundings& surroundings);

/// The tool as it is told of its tokens: ninja takes none from descriptors. Pure.
BuildTool told_by(BuildTool tool, jobserver::AuthStyle makeflags);

/// How many jobs the tool may have at once, and what to say of it.
struct ToolNumber {
  /// Jobs that somebody asked for, who may have meant fewer or more than fit; nullopt if nobody
  /// did. A cap.
  std::optional<std::size_t> asked;
  /// Whether the tool heeds no tokens but a number of its own.
  bool is_own = false;
  std::vector<std::string> warnings;
};

/// What a token of the tool stands for: a permit, or a place among the jobs that may be started and
/// then are held until they fit.
enum class TokenMeaning { permit, place };

/// The number in the command (`-j8`, `cmake --build --parallel 8`), in MAKEFLAGS, in
/// CMAKE_BUILD_PARALLEL_LEVEL or CARGO_BUILD_JOBS, as far as the tool heeds it, and warnings of
/// what keeps the tool from heeding tokens. Pure.
ToolNumber tool_number(const std::vector<std::string>& words, const BuildTool& tool,
                       const EnvironmentVariable& variable,
                       TokenMeaning meaning = TokenMeaning::permit);

/// Most jobs that may wait, started, for room: twice the CPUs, rounded up, and 4. So a job that is
/// known to be light finds a place, and a crowd of heavy ones does not fill the memory while it
/// waits.
std::size_t most_waiting_jobs(double cpus);

}  // namespace sluice::cli
