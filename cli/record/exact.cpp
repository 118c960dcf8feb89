#include "cli/record/exact.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "base/json_writer.h"
#include "base/text.h"
#include "cli/record/bounded_queue.h"
#include "cli/record/moment.h"
#include "cli/terminal/terminal.h"
#include "sluice/version.h"
#include "status/wall_time.h"

namespace sluice::cli {
namespace {

using record::WallTime;

/// Follows the calls and the gaps of a record.
class Follower {
 public:
  /// A segment begins, before which `missing` are; empty: none. Its file was changed last at
  /// `modified`, which counts if no call is read from it or later.
  void begin_segment(const std::string& missing, WallTime modified) {
    if (!missing.empty()) lose(last_, missing);
    modified_ = modified;
  }

  /// An entry that is no call. The time of a gap's entry is that of its end.
  void add(const record::Entry& entry) {
    if (const auto* start = std::get_if<record::SegmentStart>(&entry)) begin_version(*start);
    if (const auto* gap = std::get_if<record::Gap>(&entry)) lose(last_, gap->why);
  }

  void add_call(WallTime wall, std::string_view call) {
    const bool was_running = core_.is_running();
    switch (core_.apply(call)) {
      case CoreReplay::Step::same:
        // The number of a call that is a beginning fits in any case.
        if (was_running && core_.is_at_begin()) {
          guess(last_, core_.is_at_start() ? "the daemon was killed, or could not record its end"
                                           : "calls are missing");
        }
        if (lost_) end_of_loss(wall);
        break;
      case CoreReplay::Step::different:
        replay_.differences.push_back({wall, core_.difference()});
        lose(wall, "after a difference");
        break;
      case CoreReplay::Step::skipped:
        guess(last_.value_or(wall),
              !last_ ? "earlier calls are no longer in the record" : "calls are missing");
    }
    last_ = wall;
  }

  void end_segment(const std::string& path, const record::ReadSegment& segment) {
    std::string problems;
    for (const std::string& each : segment.summary.problems) {
      problems += (problems.empty() ? path + ": " : "; ") + each;
    }
    if (problems.empty()) return;
    if (segment.summary.is_whole) return replay_.remarks.push_back(problems);
    lose(last_, problems);
    lost_until_ = segment.file.modified;
  }

  ExactReplay finish() {
    if (lost_) end_of_loss(std::max(last_.value_or(modified_), lost_until_));
    if (core_.is_running()) {
      replay_.remarks.push_back("the record lacks the daemon's exit: it still runs, or was killed");
    }
    replay_.totals = core_.totals();
    return std::move(replay_);
  }

 private:
  void begin_version(const record::SegmentStart& start) {
    if (std::exchange(version_, start.version) == start.version || version_ == kVersion) return;
    replay_.remarks.push_back("recorded by Sluice " + version_ + ", replayed by " + kVersion +
                              ": decisions may differ");
  }
  /// Calls are missing from here on, for this reason unless another is known. nullopt: no call has
  /// been read yet, so nothing says since when.
  void lose(std::optional<WallTime> from, const std::string& why) {
    core_.forget();
    const bool has_other = lost_ && !lost_->why.empty() && lost_->why != why;
    if (from && has_other) end_of_loss(*from);
    if (!from && has_other) lost_->why += "; " + why;
    guess(from, "");
    if (lost_->why.empty()) lost_->why = why;
  }
  /// Likewise for a reason that others replace.
  void guess(std::optional<WallTime> from, const std::string& why) {
    if (lost_) return;
    lost_ = {from, {}, ""};
    guess_ = why;
  }
  void end_of_loss(WallTime at) {
    if (lost_->why.empty()) lost_->why = guess_;
    lost_->to = at;
    if (lost_->from > at) lost_->from.reset();
    replay_.missing.push_back(*std::exchange(lost_, std::nullopt));
  }

  CoreReplay core_;
  ExactReplay replay_;
  std::optional<ExactReplay::Missing> lost_;
  std::string guess_;             ///< Why, if nothing says it.
  std::optional<WallTime> last_;  ///< Of the call before.
  WallTime modified_;             ///< When the file of this segment was changed last.
  /// When the file was changed last whose damage has cost calls: they may be as late.
  WallTime lost_until_ = WallTime::min();
  std::string version_ = kVersion;
};

// To read a record takes a seventh of the time of its replay, so another thread does.

struct SegmentBegin {
  std::string missing;  ///< See `Follower::begin_segment`.
  WallTime modified;
};
/// Calls, one after the other: a string for each would be freed by another thread than made it.
struct ReadCalls {
  struct Call {
    WallTime wall;
    std::size_t size = 0;
  };
  std::string bytes;
  std::vector<Call> calls;
};
/// A record in parts, in order.
using Part = std::variant<SegmentBegin, ReadCalls, record::Entry, record::ReadSegment>;

/// Bytes of calls in a part: enough that handing it over costs nothing.
constexpr std::size_t kPartBytes = std::size_t{128} << 10;

class PartReader {
 public:
  explicit PartReader(BoundedQueue<Part>& parts) : parts_(parts) {}

  void read(const record::RecordFolder& folder) {
    std::uint64_t before = 0;
    for (const record::SegmentFile& file : folder.segments()) {
      const bool is_wanted = parts_.push(SegmentBegin{
          record::missing_between(std::exchange(before, file.number), file.number), file.modified});
      if (!is_wanted) return;
      auto segment =
          record::read_one(folder, file, [this](const record::Dated& each) { add(each); });
      end_part();
      parts_.push(std::move(segment));
    }
  }

 private:
  void add(const record::Dated& dated) {
    if (const auto* call = std::get_if<record::GovernorCall>(&dated.entry)) {
      part_.bytes += call->bytes;
      part_.calls.push_back({dated.wall, call->bytes.size()});
      if (part_.bytes.size() >= kPartBytes) end_part();
    } else {
      end_part();
      parts_.push(dated.entry);
    }
  }
  void end_part() { parts_.push(std::exchange(part_, {})); }

  BoundedQueue<Part>& parts_;
  ReadCalls part_;
};

void follow_part(Follower& follower, const record::RecordFolder& folder, const Part& part) {
  if (const auto* begin = std::get_if<SegmentBegin>(&part)) {
    follower.begin_segment(begin->missing, begin->modified);
  } else if (const auto* read = std::get_if<ReadCalls>(&part)) {
    std::string_view rest = read->bytes;
    for (const auto& [wall, size] : read->calls) {
      follower.add_call(wall, rest.substr(0, size));
      rest.remove_prefix(size);
    }
  } else if (const auto* other = std::get_if<record::Entry>(&part)) {
    follower.add(*other);
  } else {
    const auto& segment = std::get<record::ReadSegment>(part);
    follower.end_segment(folder.path_of(segment.file.number), segment);
  }
}

std::optional<record::RecordFolder> open_calls(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::string calls = std::string("/") + record::kCallsName;
  const std::string record = std::string("/") + record::kFolderName;
  const std::string itself = path.ends_with(calls) ? path : path + calls;
  for (const std::string& each : {path + record + calls, itself}) {
    auto folder = record::RecordFolder::open_to_read(each);
    auto* found = std::get_if<record::RecordFolder>(&folder);
    if (found && !found->segments().empty()) return std::move(*found);
  }
  return std::nullopt;
}

/// Empty if there are none: a job for which there is room starts without a pass.
std::string started_text(std::uint64_t jobs) {
  return jobs == 0 ? "" : " that started " + count_text(jobs, "waiting job");
}

std::string missing_text(const ExactReplay& replay) {
  std::string text;
  for (const auto& [from, to, why] : replay.missing) {
    text += "  " + (from ? local_time(*from) + " to " : "before ") + local_time(to) + ": " +
            harmless(why) + "\n";
  }
  return text;
}

}  // namespace

ExactReplay replay_calls(const record::RecordFolder& folder) {
  Follower follower;
  BoundedQueue<Part> parts;
  std::exception_ptr problem;
  std::jthread reader([&] {
    try {
      PartReader(parts).read(folder);
    } catch (...) {
      problem = std::current_exception();
    }
    parts.close();
  });
  try {
    while (const auto part = parts.pop()) follow_part(follower, folder, *part);
  } catch (...) {
    parts.close();
    throw;
  }
  reader.join();
  if (problem) std::rethrow_exception(problem);
  return follower.finish();
}

std::string exact_text(const ExactReplay& replay) {
  const auto& [calls, passes, started, window_changes] = replay.totals;
  std::string text = std::to_string(calls) + " calls, " + std::to_string(passes) + " passes" +
                     started_text(started) + ", " + std::to_string(window_changes) +
                     " window changes: ";
  if (!replay.differences.empty()) {
    text += "not exact\n";
  } else {
    text += replay.missing.empty() ? "exact\n" : "exact but for\n";
  }
  for (const auto& [at, what] : replay.differences) {
    text += "  differs at " + local_time(at) + ": " + harmless(what) + "\n";
  }
  text += missing_text(replay);
  for (const std::string& each : replay.remarks) text += "note: " + harmless(each) + "\n";
  return text;
}

std::string exact_json(const ExactReplay& replay) {
  const auto& [calls, passes, started, window_changes] = replay.totals;
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("calls", calls).member("passes", passes);
  json.member("started", started).member("window_changes", window_changes);
  json.member("exact", replay.differences.empty());
  json.list("missing", replay.missing, [&](const ExactReplay::Missing& each) {
    json.begin_object().member("from", each.from, rfc3339).member("to", rfc3339(each.to));
    json.member("why", each.why).end_object();
  });
  json.list("differences", replay.differences, [&](const ExactReplay::Difference& each) {
    json.begin_object().member("at", rfc3339(each.at)).member("what", each.what).end_object();
  });
  json.member("remarks", replay.remarks).end_object();
  return text + "\n";
}

int print_exact_replay(const std::string& path, ExactFormat format) {
  const auto folder = open_calls(path);
  const ExactReplay replay = folder ? replay_calls(*folder) : ExactReplay{};
  const bool is_empty = replay.totals.calls == 0 && replay.differences.empty();
  if (is_empty && !replay.missing.empty()) {
    std::cerr << "sluice replay: nothing of " << harmless(path)
              << " can be replayed, which begins where a daemon started, or at a "
                 "snapshot after 1 MiB of calls:\n"
              << missing_text(replay);
    return 2;
  }
  if (is_empty) {
    std::cerr
        << "sluice replay: " << harmless(path)
        << " has no calls to replay: give a daemon's state_dir, which only root and the "
           "daemon's user can read (an earlier Sluice recorded none, nor does one under "
           "service.record.names: hashed); sluice whatif, or --config FILE here, shows a model "
           "of its work\n";
    return 2;
  }
  std::cout << (format == ExactFormat::json ? exact_json(replay) : exact_text(replay));
  return replay.differences.empty() ? 0 : 1;
}

}  // namespace sluice::cli
