#include "cli/whatif/recorded_scenario.h"

#include <algorithm>
#include <set>

#include "base/seconds.h"
#include "base/suggest.h"
#include "cli/whatif/batch_arrivals.h"
#include "cli/whatif/build_followers.h"
#include "cli/whatif/neighbours.h"
#include "cli/whatif/recorded_begin.h"
#include "cli/whatif/recorded_changes.h"
#include "cli/whatif/recorded_events.h"
#include "cli/whatif/recorded_operations.h"
#include "cli/whatif/recorded_phases.h"
#include "cli/whatif/recorded_request.h"
#include "cli/whatif/variants.h"
#include "record/name_hash.h"

namespace sluice::cli {
namespace {

using record::from_thousandths;
using Result = std::variant<RecordedScenario, std::string, std::vector<ConfigError>>;

/// Runs of a key that stand for what was learned before.
constexpr std::int64_t kSeeds = 10;

constexpr const char* kHashedRemark =
    "the record's names are hashed (service.record.names): all jobs are in the default queue, "
    "without locks, resources and reasons, and no queue is ever paused";

constexpr const char* kOlderRemark =
    "jobs that an earlier Sluice recorded are without global_lock, reasons, nice and on_failure, "
    "and without changes by `sluice set` and the API";

constexpr const char* kNotConfigured = "an older Sluice wrote it, or parts of it are missing";

/// Tasks that ran or waited for a CPU, in the mean; its time is not 0.
double mean_cores(const record::JobFinished& run) {
  return static_cast<double>((run.cpu + run.cpu_delay).count()) /
         static_cast<double>(run.wall.count());
}

class Builder {
 public:
  Builder(const RecordedWork& work, const ScenarioOverrides& given) : work_(work), given_(given) {}

  Result build() {
    if (!work_.story.last()) return "the record has no entries";
    if (work_.has_calls && work_.configurations.empty()) {
      return "these are the calls of a record, for sluice replay: give the folder above";
    }
    if (!work_.from) return nothing_found();
    if (const auto problem = find_machine()) return *problem;
    if (auto problem = configure()) return *std::move(problem);
    span_ = span_of(work_);
    result_.from = span_.first.wall;
    result_.to = span_.last.wall;
    for (std::size_t index = 0; index < work_.story.jobs().size(); ++index) name(index);
    for (std::size_t index = 0; index < work_.story.jobs().size(); ++index) add(index);
    if (result_.jobs == 0) return nothing_found();
    forget_absent(scenario());
    if (std::ranges::any_of(work_.story.jobs(), has_hashed_names, &JobStory::facts)) {
      result_.remarks.emplace_back(kHashedRemark);
    }
    if (std::ranges::any_of(work_.story.jobs(), is_of_earlier_sluice)) {
      result_.remarks.emplace_back(kOlderRemark);
    }
    if (late_ > 0) {
      result_.remarks.push_back("jobs whose submission is not on record: " + std::to_string(late_) +
                                ", which arrive when the record first mentions them");
    }
    add_history();
    add_neighbours();
    add_reloads();
    add_operations(work_, span_, scenario());
    add_pressures(work_, span_, scenario());
    if (given_.config) leave_out_unknown();
    for (const std::string& each : changed_limits(work_, scenario())) {
      result_.remarks.push_back(each +
                                " has no effect: pressures are recorded as parts of the old "
                                "limit");
    }
    for (const auto& [when, gap] : work_.gaps) result_.lost += span_.has(when) ? gap.lost : 0;
    put_in_time();
    return std::move(result_);
  }

 private:
  Scenario& scenario() { return result_.scenario; }

  std::string nothing_found() const {
    if (!work_.is_part) return "the record has no jobs";
    return "the record has no jobs of that time: choose --from and --to within its span, which "
           "sluice record list shows";
  }

  std::optional<std::string> find_machine() {
    double cpus = 0;
    Bytes memory;
    for (const auto& [when, each] : work_.configurations) {
      if (each.millicores > 0) cpus = from_thousandths(each.millicores);
      if (each.memory > Bytes{0}) memory = each.memory;
    }
    recorded_cpus_ = cpus;
    cpus = given_.cpus.value_or(cpus);
    if (given_.memory) memory = *given_.memory;
    if (cpus <= 0) {
      return "the record does not say how many CPUs the machine has: give --cpus NUMBER (" +
             std::string(kNotConfigured) + ")";
    }
    scenario().cpus = cpus;
    scenario().host.emplace().cpus = cpus;
    if (memory > Bytes{0}) scenario().memory = memory;
    return std::nullopt;
  }

  /// The configuration at the start and, unless another one is wanted, the reloads.
  std::optional<Result> configure() {
    scenario().file = "the record" + (given_.config ? " under " + given_.config->second : "");
    scenario().recorded = true;
    if (given_.config) {
      auto config = changed_config(given_.config->first, given_.settings, given_.config->second,
                                   scenario().cpus);
      if (auto* errors = std::get_if<std::vector<ConfigError>>(&config)) return *std::move(errors);
      scenario().config = std::get<Config>(std::move(config));
      return std::nullopt;
    }
    std::optional<std::string> last;
    for (const auto& [when, each] : work_.configurations) {
      const std::string& text = each.text.text;
      if (last == text) continue;
      if (record::is_hash(text)) {
        return "the record's configuration is hashed (service.record.names), and there are no "
               "calls to replay: give one to sluice whatif or sluice replay with --config FILE";
      }
      auto config =
          changed_config(text, given_.settings, "the recorded configuration", scenario().cpus);
      if (auto* errors = std::get_if<std::vector<ConfigError>>(&config)) return *std::move(errors);
      if (!last || when <= *work_.from) {
        scenario().config = std::get<Config>(std::move(config));
      } else {
        reloads_.emplace_back(when, std::make_shared<const Config>(std::get<Config>(config)));
      }
      last = text;
    }
    if (last) return std::nullopt;
    return "the record does not say which configuration was in force: give one with --config FILE "
           "(" +
           std::string(kNotConfigured) + ")";
  }

  static bool is_of_earlier_sluice(const JobStory& job) {
    return job.submitted && job.facts.on_failure.empty();
  }

  void name(std::size_t index) {
    const JobStory& job = work_.story.jobs()[index];
    std::string id = job.name();
    if (!ids_.insert(id).second) ids_.insert(id += "~" + std::to_string(index));
    names_.push_back(std::move(id));
    latest_[job.number] = index;
  }

  void add(std::size_t index) {
    const JobStory& story = work_.story.jobs()[index];
    const std::optional<When> first = story.first();
    const bool came = first && *first <= span_.to;
    if (was_over(story, span_) || !came || (!story.submitted && !story.start)) return;
    if (!story.start && !story.end) {
      ++result_.left_out;
      return;
    }
    ScenarioJob job;
    job.at = span_.at(*first);
    const bool is_late = !story.submitted && job.at > Duration{0};
    job.request = request_of(story.facts);
    job.request.id = names_[index];
    const auto before = [&](JobId other) { return index_of(other, index); };
    const bool is_kept = is_kept_waiting(story, work_.story, before, span_);
    const Waits waits = is_kept ? Waits::for_good : Waits::for_turn;
    if (!add_changes(story, span_, ids(), waits, job, scenario().events)) {
      ++result_.left_out;
      return;
    }
    ++result_.jobs;
    if (is_late) ++late_;
    std::optional<Duration> ended;
    if (story.start && story.end) ended = span_.at(story.end->when);
    batches_.place(story, span_, job);
    followers_.lead(story, ended, job);
    add_past(story, span_, job);
    if (!job.ran) {
      for (const JobId other : story.facts.after) {
        const std::size_t found = before(other);
        if (found < names_.size()) job.after.push_back(names_[found]);
      }
    }
    job.phases = phases_of(index);
    if (story.end) job.outcome = outcome_of(story.end->facts);
    if (!story.start && (is_kept || story.end->facts.refusal.empty())) cancel(index);
    if (story.start && (job.waited || (story.submitted && span_.has(*story.submitted)))) {
      const When& since = job.waited ? span_.first : *story.submitted;
      result_.recorded.waits[job.request.id] = between(since, story.start->when);
    }
    if (story.end) count_end(story);
    scenario().jobs.push_back(std::move(job));
  }

  /// Of the last job with that number, if it came before the job `index`; else that of none.
  std::size_t index_of(JobId job, std::size_t index) const {
    const auto found = latest_.find(job);
    const bool is_earlier =
        found != latest_.end() && came_before(work_.story, found->second, index);
    return is_earlier ? found->second : names_.size();
  }

  ScenarioIds ids() const {
    return [this](JobId job) {
      const auto found = latest_.find(job);
      return found == latest_.end() ? std::to_string(job.value) : names_[found->second];
    };
  }

  /// What it did from the begin of the scenario on.
  std::vector<ScenarioPhase> phases_of(std::size_t index) {
    const JobStory& story = work_.story.jobs()[index];
    if (!story.start) return {ScenarioPhase{}};
    const Duration before = between(story.start->when, span_.first);
    if (!story.end) {
      const bool is_lost = story.lost && *story.lost < span_.last;
      ++(is_lost ? result_.lost_ends : result_.unfinished);
      const auto& facts = story.start->facts;
      const Duration runs = between(story.start->when, is_lost ? *story.lost : span_.last) - before;
      return {{.runs = runs,
               .cores = from_thousandths(facts.expected_millicores),
               .memory = facts.expected_memory}};
    }
    if (!story.end->facts.measured) {
      ++result_.unmeasured;
      return {{.runs = between(story.start->when, story.end->when) - before}};
    }
    return rest_of(phases_of_run(without_children(story)), before,
                   between(story.start->when, story.end->when));
  }

  /// The use of a parent includes that of its children, which are jobs of their own.
  record::JobFinished without_children(const JobStory& story) {
    record::JobFinished run = story.end->facts;
    if (children_.empty()) {
      for (const JobStory& each : work_.story.jobs()) {
        if (each.facts.parent != JobId{} && each.end) {
          auto& [cpu, delay] = children_[each.facts.parent];
          cpu += each.end->facts.cpu;
          delay += each.end->facts.cpu_delay;
        }
      }
      children_.try_emplace(JobId{});
    }
    if (const auto found = children_.find(story.number); found != children_.end()) {
      run.cpu -= std::min(run.cpu, found->second.first);
      run.cpu_delay -= std::min(run.cpu_delay, found->second.second);
      run.cores_over_time.clear();
    }
    return run;
  }

  void count_end(const JobStory& story) {
    if (story.end->when > span_.to) return;
    Duration& makespan = result_.recorded.makespan;
    makespan = std::max(makespan, span_.at(story.end->when));
    if (story.end->facts.outcome == to_string(Outcome::oom)) ++result_.recorded.killed;
  }

  /// Whether a job is killed for memory, the model finds out.
  static Outcome outcome_of(const record::JobFinished& end) {
    for (const Outcome each : {Outcome::failed, Outcome::cancelled, Outcome::unknown}) {
      if (end.outcome == to_string(each)) return each;
    }
    return Outcome::ok;
  }

  void cancel(std::size_t index) {
    scenario().events.push_back({.at = span_.at(work_.story.jobs()[index].end->when),
                                 .what = ScenarioEvent::Do::cancel,
                                 .job = names_[index]});
  }

  void add_history() {
    std::map<std::pair<std::string, std::uint32_t>, std::int64_t> seeds;
    std::set<std::pair<std::string, std::uint32_t>> unknown;
    scenario().history.emplace();
    for (const JobStory& story : work_.story.jobs()) {
      if (!story.start || !story.submitted) continue;
      const std::pair key(story.facts.key.text, story.facts.user.value_or(0));
      const bool is_first = !seeds.contains(key) && !unknown.contains(key);
      if (is_first && story.start->facts.expected_memory == Bytes{0}) unknown.insert(key);
      if (unknown.contains(key) || seeds[key] == kSeeds) continue;
      if (!story.end || !story.end->facts.measured) continue;
      ++seeds[key];
      scenario().history->push_back(run_of(story));
    }
  }

  ScenarioRun run_of(const JobStory& story) {
    const record::JobFinished run = without_children(story);
    const JobRequest request = request_of(story.facts);
    return {.key = request.key,
            .program = request.program,
            .user = request.user,
            .variant = request.variant,
            .runs = run.wall,
            .cores = run.wall > Duration{0} ? mean_cores(run) : 1,
            .memory = run.peak};
  }

  void add_neighbours() {
    if (recorded_cpus_ <= 0) return;
    std::vector<BusyFrom> busy;
    for (const auto& [when, level] : work_.levels) {
      // Of several at the begin, the last one counts.
      if (!busy.empty() && span_.at(when) == Duration{0}) busy.pop_back();
      if (when > span_.to) break;
      busy.push_back({span_.at(when), from_thousandths(level.busy.value_or(0)) * recorded_cpus_,
                      from_thousandths(level.waiting.value_or(0)) * recorded_cpus_, level.others});
    }
    std::vector<UsedFrom> jobs;
    for (const JobStory& story : work_.story.jobs()) {
      if (!story.start || !story.end || !story.end->facts.measured) continue;
      const record::JobFinished run = without_children(story);
      if (run.wall <= Duration{0}) continue;
      jobs.push_back({span_.at(story.start->when), span_.at(story.end->when), mean_cores(run)});
    }
    scenario().host->neighbours = neighbours_of(busy, jobs, span_.end());
    result_.recorded.busy = mean_busy(busy);
  }

  /// Until the last end of a job.
  std::optional<double> mean_busy(const std::vector<BusyFrom>& busy) const {
    const Duration until = result_.recorded.makespan;
    if (busy.empty() || until <= Duration{0}) return std::nullopt;
    double used = 0;
    for (std::size_t index = 0; index < busy.size(); ++index) {
      const Duration next = index + 1 < busy.size() ? busy[index + 1].at : until;
      used +=
          busy[index].cores * to_seconds(std::min(next, until) - std::min(busy[index].at, until));
    }
    return used / to_seconds(until) / recorded_cpus_;
  }

  void add_reloads() {
    for (const auto& [when, config] : reloads_) {
      if (!span_.has(when)) continue;
      scenario().events.push_back(
          {.at = span_.at(when), .what = ScenarioEvent::Do::reload, .config = config});
    }
  }

  /// The configuration that is tried may lack sensors and queues of the recorded one.
  void leave_out_unknown() {
    drop_unknown_sensors(scenario());
    for (const std::string& queue : drop_unknown_queues(scenario())) {
      result_.remarks.push_back(given_.config->second + " has no queue " + quote_text(queue) +
                                ": pausing or resuming it has no effect");
    }
  }

  void put_in_time() {
    const auto earlier = [](const auto& a, const auto& b) { return a.at < b.at; };
    std::vector<std::string> waiting;
    for (const std::size_t index : waiting_at_begin(work_.story, span_)) {
      waiting.push_back(names_[index]);
    }
    put_in_order(waiting, scenario().jobs);
    std::ranges::stable_sort(scenario().events, earlier);
  }

  const RecordedWork& work_;
  const ScenarioOverrides& given_;
  RecordedScenario result_;
  double recorded_cpus_ = 0;
  std::size_t late_ = 0;  ///< Jobs that come with their first entry, which is no submission.
  RecordedSpan span_;
  RecordedWork::Series<std::shared_ptr<const Config>> reloads_;
  std::set<std::string> ids_;
  std::vector<std::string> names_;       ///< By index of the story.
  std::map<JobId, std::size_t> latest_;  ///< The last job with that number.
  BatchArrivals batches_;
  BuildFollowers followers_;
  std::map<JobId, std::pair<Duration, Duration>> children_;  ///< CPU and delay, by parent.
};

}  // namespace

Result scenario_of(const RecordedWork& work, const ScenarioOverrides& overrides) {
  return Builder(work, overrides).build();
}

}  // namespace sluice::cli
