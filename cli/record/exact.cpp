#include "cli/record/exact.h"

#include <iostream>
#include <optional>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "cli/record/moment.h"
#include "cli/terminal/terminal.h"
#include "status/wall_time.h"

namespace sluice::cli {
namespace {

using record::WallTime;

/// Follows the calls and the gaps of a record.
class Follower {
 public:
  void add(const record::Dated& dated) {
    if (const auto* gap = std::get_if<record::Gap>(&dated.entry)) why_ = gap->why;
    const auto* call = std::get_if<record::GovernorCall>(&dated.entry);
    if (!call) return;
    const bool was_running = core_.is_running();
    switch (core_.apply(call->bytes)) {
      case CoreReplay::Step::same:
        // The number of a call that begins a core fits in any case.
        if (was_running && core_.is_at_begin()) lose(last_, "the daemon was killed");
        if (lost_) end_of_loss(dated.wall);
        break;
      case CoreReplay::Step::different:
        replay_.differences.push_back({dated.wall, core_.difference()});
        lose(dated.wall, "after a difference");
        break;
      case CoreReplay::Step::skipped:
        lose(last_.value_or(dated.wall),
             !last_ ? "the record has lost what came before" : "calls are missing");
    }
    last_ = dated.wall;
  }

  ExactReplay finish() {
    if (lost_ && last_) end_of_loss(*last_);
    replay_.totals = core_.totals();
    return std::move(replay_);
  }

 private:
  void lose(std::optional<WallTime> from, const std::string& why) {
    if (lost_ || !from) return;
    lost_ = {*from, *from, why_.empty() ? why : why_};
  }
  void end_of_loss(WallTime at) {
    lost_->to = at;
    replay_.missing.push_back(*std::exchange(lost_, std::nullopt));
    why_.clear();
  }

  CoreReplay core_;
  ExactReplay replay_;
  std::optional<ExactReplay::Missing> lost_;
  std::optional<WallTime> last_;  ///< Of the call before.
  std::string why_;               ///< By the last gap.
};

std::optional<record::RecordFolder> open_calls(const std::string& path) {
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

}  // namespace

ExactReplay replay_calls(const record::RecordFolder& folder) {
  Follower follower;
  record::read_record(folder, [&](const record::Dated& each) { follower.add(each); });
  return follower.finish();
}

std::string exact_text(const ExactReplay& replay) {
  const auto& [calls, passes, started, window_changes] = replay.totals;
  std::string text = std::to_string(calls) + " calls, " + std::to_string(passes) +
                     " passes that started " + std::to_string(started) + " jobs, " +
                     std::to_string(window_changes) + " window changes: ";
  if (!replay.differences.empty()) {
    text += "not exact\n";
  } else {
    text += replay.missing.empty() ? "exact\n" : "exact but for\n";
  }
  for (const auto& [at, what] : replay.differences) {
    text += "  differs at " + local_time(at) + ": " + harmless(what) + "\n";
  }
  for (const auto& [from, to, why] : replay.missing) {
    text += "  " + local_time(from) + " to " + local_time(to) + ": " + harmless(why) + "\n";
  }
  return text;
}

std::string exact_json(const ExactReplay& replay) {
  const auto& [calls, passes, started, window_changes] = replay.totals;
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("calls", calls).member("passes", passes);
  json.member("started", started).member("window_changes", window_changes);
  json.member("exact", replay.differences.empty()).key("missing").begin_array();
  for (const auto& [from, to, why] : replay.missing) {
    json.begin_object().member("from", rfc3339(from)).member("to", rfc3339(to));
    json.member("why", why).end_object();
  }
  json.end_array().key("differences").begin_array();
  for (const auto& [at, what] : replay.differences) {
    json.begin_object().member("at", rfc3339(at)).member("what", what).end_object();
  }
  json.end_array().end_object();
  return text + "\n";
}

bool has_calls(const std::string& path) { return open_calls(path).has_value(); }

int print_exact_replay(const std::string& path, ExactFormat format) {
  const auto folder = open_calls(path);
  const ExactReplay replay = folder ? replay_calls(*folder) : ExactReplay{};
  if (replay.totals.calls == 0 && replay.missing.empty()) {
    std::cerr << "sluice replay: " << harmless(path)
              << " has no calls to replay: give a daemon's state_dir, which only root and the "
                 "daemon's user can read (under service.record.names: hashed it has none)\n";
    return 2;
  }
  std::cout << (format == ExactFormat::json ? exact_json(replay) : exact_text(replay));
  return replay.differences.empty() ? 0 : 1;
}

}  // namespace sluice::cli
