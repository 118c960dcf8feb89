#include "autoscale/fleet_state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <stdexcept>

#include "base/errno_text.h"
#include "base/file_contents.h"
#include "base/host_identity.h"
#include "base/json_writer.h"
#include "base/state_file.h"

namespace sluice {
namespace {
namespace json = boost::json;
namespace fs = std::filesystem;

constexpr int kFormat = 1;

/// Times in the file: whole nanoseconds before now.
class Ages {
 public:
  Ages(TimePoint now, bool known) : now_(now), known_(known) {}

  TimePoint then(const json::value& age) const {
    const Duration before{age.to_number<std::int64_t>()};
    return known_ ? now_ - std::clamp(before, -kLongest, kLongest) : now_;
  }
  /// For past events: never in the future, whatever the text says.
  TimePoint past(const json::value& age) const { return std::min(then(age), now_); }
  std::optional<TimePoint> maybe(const json::value& age) const {
    return age.is_null() ? std::nullopt : std::optional(then(age));
  }

 private:
  static constexpr Duration kLongest = std::chrono::hours(24 * 366 * 100);

  TimePoint now_;
  bool known_;
};

std::string state_text(const json::value& value) { return std::string(value.as_string()); }

void write_rules(JsonWriter& json, const AutoscaleState& rules, TimePoint now) {
  const auto age = [now](TimePoint then) { return (now - then).count(); };
  json.key("rules").begin_object().member("started", age(rules.started));
  json.member("last_change", rules.last_change, age);
  json.member("mean", rules.mean).member("mean_at", age(rules.mean_at));
  json.list("windows", rules.windows, [&](const RememberedWindow& window) {
    json.begin_object().member("id", window.id).member("points", window.points).end_object();
  });
  json.member("shrunk_since", rules.shrunk_since, age).member("full_at", rules.full_at, age);
  json.end_object();
}

/// Into an object that is begun.
void write_backoff(JsonWriter& json, const OrderBackoff& backoff, TimePoint now) {
  json.member("failures", backoff.failures).member("retry", (now - backoff.retry).count());
}

AutoscaleState rules_of(const json::object& text, const Ages& ages) {
  AutoscaleState rules;
  rules.started = ages.then(text.at("started"));
  rules.last_change = ages.maybe(text.at("last_change"));
  if (!text.at("mean").is_null()) rules.mean = text.at("mean").to_number<double>();
  rules.mean_at = ages.then(text.at("mean_at"));
  for (const json::value& window : text.at("windows").as_array()) {
    rules.windows.push_back({state_text(window.at("id")), window.at("points").to_number<double>()});
  }
  rules.shrunk_since = ages.maybe(text.at("shrunk_since"));
  // Older versions did not write it.
  if (const json::value* full = text.if_contains("full_at")) rules.full_at = ages.maybe(*full);
  return rules;
}

OrderBackoff backoff_of(const json::value& text, const Ages& ages) {
  const int failures = text.at("failures").to_number<int>();
  return {std::clamp(failures, 0, 1'000'000), ages.then(text.at("retry"))};
}

FleetState state_of(const json::object& text, const Ages& ages) {
  FleetState state;
  state.rules = rules_of(text.at("rules").as_object(), ages);
  for (const json::value& each : text.at("ordered").as_array()) {
    state.ordered.push_back({state_text(each.at("name")), ages.past(each.at("since"))});
  }
  for (const json::value& each : text.at("departing").as_array()) {
    const bool ending = each.at("step").as_string() == "ending";
    state.departing.push_back(
        {state_text(each.at("id")),
         ending ? DepartingExecutor::Step::ending : DepartingExecutor::Step::draining,
         ages.past(each.at("since"))});
  }
  state.adding = backoff_of(text.at("adding"), ages);
  state.removing = backoff_of(text.at("removing"), ages);
  // Older versions did not write it.
  if (const json::value* failed = text.if_contains("failed_drains")) {
    for (const json::value& each : failed->as_array()) {
      state.failed_drains.push_back({state_text(each.at("id")), backoff_of(each, ages)});
    }
  }
  for (const json::value& id : text.at("known").as_array()) state.known.push_back(state_text(id));
  state.waiting_since = ages.maybe(text.at("waiting_since"));
  return state;
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

void settle_folder(const std::string& path) {
  const Descriptor folder(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) fsync(folder.get());
}

}  // namespace

FleetState start_fleet(TimePoint now) {
  FleetState state;
  state.rules = start_autoscaler(now);
  state.adding.retry = state.removing.retry = now;
  return state;
}

Duration order_delay(int failures, Duration first) {
  Duration delay = std::min(first, kLongestOrderDelay);
  for (int i = 1; i < failures && delay < kLongestOrderDelay; ++i) {
    delay = std::min(2 * delay, kLongestOrderDelay);
  }
  return delay;
}

bool must_wait(const OrderBackoff& backoff, TimePoint now) {
  const Duration left = backoff.retry - now;
  return backoff.failures > 0 && left > Duration{0} && left <= kLongestOrderDelay;
}

const FailedDrain* find_waiting_drain(const FleetState& state, std::string_view id, TimePoint now) {
  const auto& failed = state.failed_drains;
  const auto found = std::ranges::find(failed, id, &FailedDrain::id);
  return found != failed.end() && must_wait(found->backoff, now) ? &*found : nullptr;
}

void note_failure(OrderBackoff& backoff, Duration first, TimePoint now) {
  ++backoff.failures;
  backoff.retry = now + order_delay(backoff.failures, first);
}

DepartingExecutor* find_departing(FleetState& state, std::string_view id) {
  const auto found = std::ranges::find(state.departing, id, &DepartingExecutor::id);
  return found == state.departing.end() ? nullptr : &*found;
}

std::string write_state(const FleetState& state, TimePoint now, std::string_view boot) {
  const auto age = [now](TimePoint then) { return (now - then).count(); };
  const auto write = [&](JsonWriter& json) {
    json.begin_object().member("format", kFormat).member("boot", boot);
    json.member("clock", now.time_since_epoch().count());
    write_rules(json, state.rules, now);
    json.list("ordered", state.ordered, [&](const OrderedExecutor& each) {
      json.begin_object().member("name", each.name).member("since", age(each.since)).end_object();
    });
    json.list("departing", state.departing, [&](const DepartingExecutor& each) {
      const bool ending = each.step == DepartingExecutor::Step::ending;
      json.begin_object().member("id", each.id).member("step", ending ? "ending" : "draining");
      json.member("since", age(each.since)).end_object();
    });
    write_backoff(json.key("adding").begin_object(), state.adding, now);
    write_backoff(json.end_object().key("removing").begin_object(), state.removing, now);
    json.end_object().list("failed_drains", state.failed_drains, [&](const FailedDrain& each) {
      write_backoff(json.begin_object().member("id", each.id), each.backoff, now);
      json.end_object();
    });
    json.member("known", state.known).member("waiting_since", state.waiting_since, age);
    json.end_object();
  };
  return json_text(write) + "\n";
}

std::variant<FleetState, std::string> read_state(std::string_view text, TimePoint now,
                                                 std::string_view boot) {
  try {
    const json::value root = json::parse(text);
    if (root.at("format").to_number<int>() != kFormat) {
      return std::string("it was written by another version of this program");
    }
    const bool same = !boot.empty() && root.at("boot").as_string() == boot;
    const TimePoint written{Duration{root.at("clock").to_number<std::int64_t>()}};
    // Ages count from the time of writing.
    return state_of(root.as_object(), Ages(same ? std::min(written, now) : now, same));
  } catch (const std::exception&) {
    return std::string("it is damaged, or not a state of the autoscaler");
  }
}

FleetStateFile::FleetStateFile(std::string path) : path_(std::move(path)), boot_(this_boot()) {
  std::error_code problem;
  if (fs::is_directory(path_, problem)) {
    throw std::runtime_error(path_ + " is a folder; the state is kept in a file");
  }
  for (const char* part : {"", ".lock", ".new"}) refuse_irregular(path_ + part);
  fs::create_directories(folder_of(path_), problem);
  const std::string lock = path_ + ".lock";
  lock_.reset(open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_) throw std::runtime_error("the state cannot be saved: " + errno_text(lock));
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return;
  throw std::runtime_error(path_ + " is in use by another autoscaler");
}

FleetState FleetStateFile::load(TimePoint now, std::string& note) {
  const auto text = file_contents(path_);
  if (!text) return start_fleet(now);
  auto state = read_state(*text, now, boot_);
  if (auto* known = std::get_if<FleetState>(&state)) return std::move(*known);
  const std::string aside = path_ + ".broken";
  note = path_ + ": " + std::get<std::string>(state) + "; moved it to " + aside +
         " and started a new one";
  std::rename(path_.c_str(), aside.c_str());
  return start_fleet(now);
}

std::optional<std::string> FleetStateFile::save(const FleetState& state, TimePoint now) {
  const std::string fresh = path_ + ".new";
  const std::string text = write_state(state, now, boot_);
  const Descriptor file(
      open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  const bool is_kept = file && write_all(file.get(), text) == text.size() && fsync(file.get()) == 0;
  if (!is_kept) return errno_text(fresh);
  if (std::rename(fresh.c_str(), path_.c_str()) != 0) return errno_text(path_);
  settle_folder(path_);
  return std::nullopt;
}

}  // namespace sluice
