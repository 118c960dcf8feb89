#include "autoscale/fleet_report.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <iterator>

#include "autoscale/json_reading.h"
#include "base/daemon_sentences.h"
#include "base/seconds.h"
#include "base/values.h"

namespace sluice {
namespace {
namespace json = boost::json;

constexpr double kMostJobs = 1e7;
constexpr double kMostSeconds = 100.0 * 366 * 24 * 3600;
constexpr double kMostSum = 1e15;
constexpr double kMostLoad = 1e7;

class Fields : public ReportProblem {
 public:
  explicit Fields(const json::value& root) : root_(root) {}

  bool has(std::string_view pointer) const { return find_at(root_, pointer) != nullptr; }

  double number(std::string_view pointer, double most) { return number_in(root_, pointer, most); }

  double number_in(const json::value& place, std::string_view pointer, double most) {
    const json::value* found = find_at(place, pointer);
    if (found && found->is_number()) {
      return plausible(found->to_number<double>(), most, pointer.substr(1));
    }
    say("it reports no number as `" + std::string(pointer.substr(1)) + "`");
    return 0;
  }

  bool truth(const json::value& place, std::string_view pointer) {
    const json::value* found = find_at(place, pointer);
    if (found && found->is_bool()) return found->get_bool();
    say("it does not report `" + std::string(pointer.substr(1)) + "`");
    return false;
  }

  const json::array& list(std::string_view pointer) {
    static const json::array none;
    const json::value* found = find_at(root_, pointer);
    if (found && found->is_array()) return found->get_array();
    say("it has no list `" + std::string(pointer.substr(1)) + "`");
    return none;
  }

 private:
  const json::value& root_;
};

Points points(double number) { return Points{std::llround(number)}; }

double points_most() { return static_cast<double>(kMostPoints.value); }

void read_queue(Fields& fields, const json::value& queue, ExecutorReport& report) {
  const auto pending = std::llround(fields.number_in(queue, "/pending", kMostJobs));
  const bool paused = fields.truth(queue, "/paused");
  if (paused) report.paused.push_back(text_at(queue, "/name"));
  if (pending == 0) return;
  const json::value* waited = find_at(queue, "/oldest_wait");
  const bool known = waited && !waited->is_null();
  const PendingSums sums{pending, std::llround(fields.number_in(queue, "/held", kMostJobs)),
                         points(fields.number_in(queue, "/pending_cost", kMostSum)),
                         points(fields.number_in(queue, "/held_cost", kMostSum))};
  append_pending(report.queued, sums,
                 from_seconds(known ? fields.number_in(queue, "/oldest_wait", kMostSeconds) : 0));
}

/// Only under `law: knee`; older daemons do not say it.
Fullness fullness_of(Fields& fields, const json::value& root) {
  const bool tells = fields.has("/short_of_capacity");
  if (!tells || text_at(root, "/window/law") != "knee") return Fullness::unknown;
  // The waiting jobs may wait in a shared queue: then it says only that it takes no work.
  const std::string code = text_at(root, "/full/code");
  if (code == "sensor") return Fullness::red;
  return fields.truth(root, "/short_of_capacity") || code == "window" ? Fullness::full
                                                                      : Fullness::has_room;
}

std::optional<double> load_of(Fields& fields) {
  for (const json::value& sensor : fields.list("/sensors")) {
    if (text_at(sensor, "/name") != "load") continue;
    const json::value* value = find_at(sensor, "/conditions/0/value");
    if (!value || !value->is_number()) return std::nullopt;
    const double load = value->to_number<double>();
    return load >= 0 && load <= kMostLoad ? std::optional(load) : std::nullopt;
  }
  return std::nullopt;
}

void read_counters(Fields& fields, ExecutorReport& report) {
  report.wait_seconds = fields.number("/counters/wait_seconds", kMostSum);
  report.duration_seconds = fields.number("/counters/duration_seconds", kMostSum);
  report.admitted = static_cast<std::uint64_t>(fields.number("/counters/admitted", kMostSum));
  for (const char* outcome : {"ok", "failed", "oom", "cancelled"}) {
    const std::string pointer = std::string("/counters/finished/") + outcome;
    report.ended += static_cast<std::uint64_t>(fields.number(pointer, kMostSum));
  }
  // Older daemons do not report this outcome.
  constexpr std::string_view unknown = "/counters/finished/unknown";
  if (!fields.has(unknown)) return;
  report.ended += static_cast<std::uint64_t>(fields.number(unknown, kMostSum));
}

/// Whether a job waits for a reason that more executors would not remove.
bool holds(std::string_view refusal) {
  constexpr std::string_view held[] = {"dependency", "rule", "rate_limit", "contention"};
  return std::find(std::begin(held), std::end(held), refusal) != std::end(held);
}

QueuedJob queued_job(Fields& fields, const json::value& job,
                     const std::vector<std::string>& paused) {
  QueuedJob queued;
  queued.cost = points(fields.number_in(job, "/cost", points_most()));
  queued.slots = static_cast<int>(queued.cost.value);
  queued.waited = from_seconds(fields.number_in(job, "/age", kMostSeconds));
  const std::string queue = text_at(job, "/queue");
  queued.held = fields.truth(job, "/frozen") || holds(text_at(job, "/refusal/code")) ||
                std::find(paused.begin(), paused.end(), queue) != paused.end();
  return queued;
}

}  // namespace

double ReportProblem::plausible(double value, double most, std::string_view what) {
  if (std::isfinite(value) && value >= 0 && value <= most) return value;
  say("it reports " + (std::isfinite(value) ? print_decimal(value) : std::string("no number")) +
      " as `" + std::string(what) + "`, which is impossible");
  return 0;
}

void append_jobs(std::vector<QueuedJob>& queued, std::int64_t count, Points cost, Duration waited,
                 bool held) {
  constexpr std::int64_t most = 1'000'000;
  count = std::min(count, most);
  for (std::int64_t i = 0; i < count; ++i) {
    // The remainder goes to the first ones.
    const std::int64_t share = cost.value / count + (i < cost.value % count ? 1 : 0);
    const std::int64_t each = std::clamp<std::int64_t>(share, 1, kMostPoints.value);
    queued.push_back({static_cast<int>(each), i == 0 ? waited : Duration{0}, held, Points{each}});
  }
}

void append_pending(std::vector<QueuedJob>& queued, const PendingSums& sums, Duration waited) {
  const std::int64_t held = std::min(sums.held, sums.jobs);
  const Points held_cost = std::min(sums.held_cost, sums.cost);
  append_jobs(queued, sums.jobs - held, sums.cost - held_cost, waited, false);
  append_jobs(queued, held, held_cost, waited, true);
}

std::variant<ExecutorReport, std::string> parse_report(std::string_view status) {
  const auto parsed = parse_object(status);
  if (!parsed) return std::string(kNotFromSluice);
  const json::value& root = *parsed;
  Fields fields(root);
  ExecutorReport report;
  report.window = points(fields.number("/window/size", points_most()));
  report.usage = points(fields.number("/window/usage", kMostSum));
  report.up = from_seconds(fields.number("/uptime", kMostSeconds));
  report.draining = fields.truth(root, "/draining");
  report.running = std::llround(fields.number("/jobs/running", kMostJobs));
  report.pending = std::llround(fields.number("/jobs/pending", kMostJobs));
  for (const json::value& queue : fields.list("/queues")) read_queue(fields, queue, report);
  report.load = load_of(fields);
  report.fullness = fullness_of(fields, root);
  read_counters(fields, report);
  if (!fields.problem().empty()) return fields.problem();
  return report;
}

std::variant<ExecutorReport, std::string> with_jobs(ExecutorReport report, std::string_view jobs) {
  const auto root = parse_object(jobs);
  if (!root) return std::string(kNotFromSluice);
  Fields fields(*root);
  std::vector<QueuedJob> queued;
  for (const json::value& job : fields.list("/jobs")) {
    queued.push_back(queued_job(fields, job, report.paused));
  }
  if (!fields.problem().empty()) return fields.problem();
  const auto listed = static_cast<std::int64_t>(queued.size());
  if (listed > 0 && listed < report.pending) {
    // The others are assumed to resemble the listed ones.
    std::int64_t cost = 0, held = 0;
    for (const QueuedJob& job : queued) {
      cost += job.cost.value;
      held += job.held ? 1 : 0;
    }
    const std::int64_t rest = report.pending - listed;
    const std::int64_t held_rest = rest * held / listed;
    const std::int64_t free_rest = rest - held_rest;
    append_jobs(queued, free_rest, Points{cost / listed * free_rest}, Duration{0}, false);
    append_jobs(queued, held_rest, Points{cost / listed * held_rest}, Duration{0}, true);
  }
  if (listed > 0) report.queued = std::move(queued);
  return report;
}

}  // namespace sluice
