#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/record/open.h"
#include "cli/record/span.h"
#include "cli/record/story.h"
#include "costmodel/prediction_errors.h"

namespace sluice::cli {

/// The runs that ended in a span of the record, with what was expected of them. A job that lost its
/// lease, and one without usage, is none, since nobody knows what it needed. One that the next
/// daemon takes over is the same run.
class PredictedRuns {
 public:
  /// Runs that ended before the span count only as known ones of their key.
  void add(const record::Dated& dated, Side side);
  const std::vector<PredictedRun>& ended() const { return ended_; }
  /// Runs of the span whose start, or whose end with what they used, is not on record: the record
  /// broke off, or no daemon ran then. Call this after all entries of the record.
  std::uint64_t unjudged() const;

 private:
  /// A user, nullopt over TCP, and a key: whose runs predict a job first.
  using Kind = std::pair<std::optional<std::uint32_t>, std::string>;
  struct Running {
    Kind kind = {};
    std::optional<JobStory::Start> start = std::nullopt;
    std::size_t earlier = 0;
    /// Where the record broke off, if nothing says since how the run went on.
    std::optional<Side> lost = std::nullopt;
    bool was_taken_over = false, has_children = false;
  };

  void submit(const record::JobSubmitted& job);
  void restate(const record::JobSubmitted& job);
  void start(const When& when, const record::JobStarted& start);
  void end(const When& when, const record::JobFinished& facts, Side side);
  /// A run that has ended by `outcome`, and showed what it needed.
  void count(const Running& running, const When& when, const record::JobFinished& facts,
             Outcome outcome, Side side);
  void happen(const record::DaemonEvent& event, Side side);
  void begin_daemon(const record::DaemonEvent& started, Side side);
  /// Entries are missing, which may be about any job that runs.
  void lose_all(Side side);

  std::string boot_;
  std::size_t boots_ = 0;
  bool is_stopping_ = false;       ///< The daemon has begun to stop.
  std::uint64_t unjudged_ = 0;     ///< Without those that are lost.
  std::uint64_t ends_unseen_ = 0;  ///< Of the span, since the segment began, without usage.
  std::unordered_map<std::uint64_t, Running> running_;
  std::map<Kind, std::size_t> measured_;
  std::vector<PredictedRun> ended_;
};

/// Which keys to list; the others are summed up.
enum class ErrorRows { worst, all };

/// A table of keys, the worst first, and a sentence on all runs; one more if some could not be
/// judged.
std::string errors_text(const PredictionErrors& errors, ErrorRows rows, std::uint64_t unjudged = 0);
/// All keys as one JSON object.
std::string errors_json(const PredictionErrors& errors, std::uint64_t unjudged = 0);

/// What `sluice history --errors` is asked.
struct ErrorsQuery {
  enum class Print { text, json };

  RecordPlace place;
  Print print = Print::text;
  ErrorRows rows = ErrorRows::worst;
  std::string from, to;  ///< Empty for all of the record.
};

/// Prints how far predictions were off, by the record. Returns the exit status; throws
/// std::runtime_error if there is no record, or nothing of that time in it.
int show_errors(const ErrorsQuery& query);

}  // namespace sluice::cli
