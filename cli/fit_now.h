#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/command_line/cli11.h"
#include "client/answer.h"

namespace sluice::cli {

/// The kind of job to count.
struct FitQuestion {
  std::string socket;               ///< Of the daemon; empty for the default search.
  std::string key, program;         ///< Either or both may be empty.
  std::string state_dir;            ///< For the history, if no daemon answers.
  std::optional<std::size_t> most;  ///< The answer is at most this.
};

/// How many such jobs fit now, and why not more: `bound` may also be "max".
struct FitAnswer : sluice::FitAnswer {
  std::string source = "daemon";  ///< Or "sensors".

  /// "3 fit: memory allows no more; one needs 1.2 GiB (by runs of its key)".
  std::string sentence() const;
  /// One JSON object.
  std::string json() const;
};

/// Adds `--key`, `--program` and `--max` to a subcommand. `question` must outlive it.
void add_kind(CLI::App& command, FitQuestion& question);

/// Asks the daemon, or without one reads the sensors and the history once; starts none. On failure,
/// throws one line; also if no daemon is at `question.socket`. SLUICE_SOCKET may outlive its
/// daemon, and scripts need a number, so then it only warns on standard error, as `name`.
FitAnswer fit_now(const FitQuestion& question, const char* name);

/// The answer with its jobs cut to `most`. Pure.
FitAnswer at_most(FitAnswer answer, const std::optional<std::size_t>& most);

}  // namespace sluice::cli
