#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/record/core_replay.h"
#include "record/folder.h"

namespace sluice::cli {

/// What came of a replay of recorded calls.
struct ExactReplay {
  struct Missing {
    /// nullopt if no call before it is known, or if its time is later, as the clock was set back.
    std::optional<record::WallTime> from;
    record::WallTime to;
    std::string why;
  };
  struct Difference {
    record::WallTime at;
    std::string what;
  };

  CoreReplay::Totals totals;
  std::vector<Missing> missing;
  std::vector<Difference> differences;
  /// What else a reader must know: clocks that jumped, another version, an open end.
  std::vector<std::string> remarks;
};

/// Replays the calls in the folder, see docs/record.md.
ExactReplay replay_calls(const record::RecordFolder& folder);

std::string exact_text(const ExactReplay& replay);
std::string exact_json(const ExactReplay& replay);

enum class ExactFormat { text, json };

/// Replays the calls in `path`, a daemon's state folder, the record in it, or the calls in that,
/// and prints what came of it. Returns the exit status: 1 for a difference, 2 if nothing can be
/// replayed: a record of an earlier Sluice, or one under `names: hashed`, has no calls.
int print_exact_replay(const std::string& path, ExactFormat format);

}  // namespace sluice::cli
