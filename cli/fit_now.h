#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "client/answer.h"

namespace CLI {
class App;
}  // namespace CLI

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
  /// Why the daemon that SLUICE_SOCKET names did not answer, to be said; empty if it did, or if
  /// none is named.
  std::string unreached = {};

  /// "measured without a daemon: no sluice daemon found: ..."; empty if there is nothing to say.
  std::string warning() const;
  /// "3 fit: memory allows no more; one needs 1.2 GiB (by runs of its key)".
  std::string sentence() const;
  /// One JSON object.
  std::string json() const;
};

/// Adds `--key`, `--program` and `--max` to a subcommand. `question` must outlive it.
void add_kind(CLI::App& command, FitQuestion& question);

/// Asks the daemon, or without one reads the sensors and the history once; starts none. On failure,
/// throws one line; also if no daemon is at `question.socket`. SLUICE_SOCKET may outlive its
/// daemon, and scripts need a number, so then it only has `warning`.
FitAnswer fit_now(const FitQuestion& question);

/// The answer with its jobs cut to `most`. Pure.
FitAnswer at_most(FitAnswer answer, const std::optional<std::size_t>& most);

}  // namespace sluice::cli
