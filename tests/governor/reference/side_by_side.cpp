#include <algorithm>
#include <cmath>
#include <sstream>

#include "fakes.h"
#include "reference/history.h"
#include "reference/plain_core.h"

namespace sluice::reference {
namespace {

using What = Event::What;

/// Whether the documents name the binding; for other codes it only repeats the code.
bool names_what_binds(RefusalCode code) {
  switch (code) {
    case RefusalCode::sensor:
    case RefusalCode::queue_paused:
    case RefusalCode::resource:
    case RefusalCode::contention:
    case RefusalCode::rule:
    case RefusalCode::rate_limit:
    case RefusalCode::held_for:
      return true;
    default:
      return false;
  }
}

std::string numbers(std::vector<JobId> ids) {
  std::ranges::sort(ids);
  std::string text;
  for (const JobId id : ids) text += " " + std::to_string(id.value);
  return text;
}

std::string description_of(const Refusal& refusal) {
  std::ostringstream text;
  text << to_string(refusal.code);
  if (names_what_binds(refusal.code)) text << " " << refusal.binding;
  if (refusal.ahead != JobId{}) text << " ahead " << refusal.ahead.value;
  if (refusal.code == RefusalCode::resource) {
    text << " " << refusal.needs << " of " << refusal.free << " of " << refusal.total;
  }
  return text.str();
}

}  // namespace

std::string describe(const Decision& decision) {
  std::ostringstream text;
  text << "job " << decision.job.value << " "
       << (decision.refusal ? description_of(*decision.refusal) : std::string("admitted"));
  text << " cost " << decision.cost.value << " usage " << decision.usage.value << " of "
       << decision.size.value << " weight " << std::round(decision.weight * 1e6) / 1e6;
  for (const HeldItems& held : decision.items) {
    text << " " << held.manager << ":";
    for (const std::string& item : held.items) text << item << ",";
  }
  if (!decision.conflicts.empty()) text << " conflicts" << numbers(decision.conflicts);
  return text.str();
}

namespace {

std::string description_of(const Explanation& all) {
  std::ostringstream text;
  text << "place " << all.job.place << " base " << all.base_tenths << " spv " << all.spv_tenths
       << " ticks " << all.age_ticks << " weight " << std::round(all.weight * 1e6) / 1e6;
  if (all.saturates) text << " saturates " << all.saturates->time_since_epoch().count();
  for (const LevelWeight& level : all.levels) {
    text << " " << level.level << ":" << level.tenths << " by " << level.by.value;
  }
  text << " conflicts" << numbers(all.certain_conflicts);
  return text.str();
}

class SideBySide {
 public:
  SideBySide(const History& history, const Watch& watch)
      : watch_(watch),
        options_(history.options),
        plain_(history.options, fakes::flat(5), {}, fakes::at(0)),
        core_(fakes::core_of(history.options, {fakes::known("load")})) {}

  /// The difference between their answers; empty if there is none.
  std::string step(const Event& event) {
    now_ = fakes::at(event.second);
    apply(event);
    const std::vector<Ended> plain = plain_.take_ended();
    const std::vector<Ended> indexed = core_.take_ended();
    compare("jobs whose wait ended", text_of(plain), text_of(indexed));
    return difference_;
  }

  /// The same for all pending jobs: SPV, weight and place.
  std::string end() {
    explain_all();
    return difference_;
  }

 private:
  void compare(const std::string& what, const std::string& plain, const std::string& indexed) {
    if (!difference_.empty() || plain == indexed) return;
    difference_ = what + "\n  plain:   " + plain + "\n  indexed: " + indexed;
  }

  static std::string text_of(const std::vector<Ended>& ended) {
    std::vector<JobId> ids;
    for (const Ended& each : ended) ids.push_back(each.job);
    return numbers(ids);
  }

  JobId id_of(int job) const {
    const auto known = ids_.find(job);
    return known == ids_.end() ? JobId{} : known->second;
  }

  void apply(const Event& event) {
    const JobId id = id_of(event.job);
    switch (event.what) {
      case What::submit:
        return submit(event);
      case What::expect:
        ids_[event.job] = plain_.expect();
        expected_[event.job] = core_.expect();
        return compare("expect", numbers({ids_[event.job]}), numbers({expected_[event.job]}));
      case What::give_up:
        return give_up(event.job);
      case What::finish:
        return finish(id, event.outcome);
      case What::cancel:
        return compare("cancel", std::to_string(plain_.cancel(id)),
                       std::to_string(core_.cancel(id).has_value()));
      case What::set:
        return set(id, event);
      case What::pause_queue:
      case What::resume_queue:
        return operate_queue(event);
      default:
        return decide(event);
    }
  }

  void submit(const Event& event) {
    JobRequest request = event.request;
    for (const int before : event.after) {
      if (ids_.contains(before)) request.after.push_back(ids_[before]);
    }
    std::optional<JobId> number;
    if (expected_.contains(event.job)) number = expected_[event.job];
    if (!number && ids_.contains(event.job)) return;
    const auto plain = plain_.submit(request, now_, number);
    const auto indexed = core_.submit(request, now_, number);
    compare("submit of j" + std::to_string(event.job), text_of(plain), text_of(indexed));
    const auto* queued = std::get_if<Queued>(&plain);
    const bool is_new = queued && !queued->deduplicated;
    if (is_new) ids_[event.job] = queued->id;
    if (number && !is_new) return give_up(event.job);
    expected_.erase(event.job);
  }

  static std::string text_of(const std::variant<Queued, Refusal>& answer) {
    const auto* queued = std::get_if<Queued>(&answer);
    if (!queued) return description_of(std::get<Refusal>(answer));
    return (queued->deduplicated ? "as job " : "job ") + std::to_string(queued->id.value);
  }

  void give_up(int job) {
    if (!expected_.contains(job)) return;
    plain_.give_up(expected_[job]);
    core_.give_up(expected_[job]);
    expected_.erase(job);
  }

  void finish(JobId id, Outcome outcome) {
    const auto slot = slots_.find(id);
    if (slot == slots_.end()) return;
    plain_.finish(static_cast<std::uint32_t>(id.value), outcome, now_);
    core_.finish(slot->second, outcome, now_);
    slots_.erase(slot);
  }

  void set(JobId id, const Event& event) {
    JobChange change = event.change;
    if (change.position) change.position->of = id_of(event.beside);
    compare("set", plain_.set(id, change, now_) ? "refused" : "taken",
            core_.set(id, change, now_) ? "refused" : "taken");
  }

  void operate_queue(const Event& event) {
    const auto to = event.what == What::pause_queue ? Switch::paused : Switch::running;
    plain_.operate_queue(event.queue, to);
    core_.operate_queue(event.queue, to);
  }

  void decide(const Event& event) {
    switch (event.what) {
      case What::pause:
      case What::resume:
        plain_.operate(event.what == What::pause ? Switch::paused : Switch::running);
        core_.operate(event.what == What::pause ? Switch::paused : Switch::running);
        return;
      case What::red:
      case What::green:
        plain_.show_red(event.what == What::red ? "load" : "");
        fakes::show(core_, {event.what == What::red ? 1.5 : 0.3}, now_);
        return;
      case What::look:
        core_.adjust_window(now_);
        plain_.set_size(core_.size());
        return;
      case What::reload:
        options_.queueing = event.options;
        plain_.reload(options_);
        core_.reload(options_, fakes::flat(5), {fakes::known("load")}, now_);
        return;
      default:
        pass();
    }
  }

  void pass() {
    std::vector<Decision> plain, indexed;
    plain_.pass(now_, &plain);
    for (const Admitted& admitted : core_.pass(now_, &indexed)) slots_[admitted.id] = admitted.slot;
    compare("the pass", text_of(plain), text_of(indexed));
    compare("usage", std::to_string(plain_.usage().value), std::to_string(core_.usage().value));
    compare("running", std::to_string(plain_.running()), std::to_string(core_.running()));
    if (options_.queueing.contention.mode != ContentionMode::off) {
      compare("the next boundary", text_of(plain_.next_boundary(now_)),
              text_of(core_.next_boundary(now_)));
    }
    if (++passes_ % 8 == 0) {
      explain_all();
      count_held();
    }
    if (watch_) watch_(core_, now_, indexed);
  }

  static std::string text_of(const std::vector<Decision>& decisions) {
    std::string text;
    for (const Decision& each : decisions) text += "\n    " + reference::describe(each);
    return text;
  }

  static std::string text_of(const std::optional<TimePoint>& time) {
    return time ? std::to_string(time->time_since_epoch().count()) : "never";
  }

  void explain_all() {
    for (const auto& [job, id] : ids_) {
      if (!slots_.contains(id)) explain(job, id);
    }
  }

  /// Compares the totals of held jobs with the reasons of the individual jobs.
  void count_held() {
    std::size_t jobs = 0, held = 0;
    Points cost, held_cost;
    for (const JobView& job : core_.jobs(now_)) {
      if (job.state != JobState::pending || !job.refusal || !holds(job.refusal->code)) continue;
      ++jobs;
      cost += job.cost;
    }
    for (const QueueStatus& queue : core_.status(now_).queues) {
      held += queue.held;
      held_cost += queue.held_cost;
    }
    compare("what is held", std::to_string(jobs) + " jobs of " + std::to_string(cost.value),
            std::to_string(held) + " jobs of " + std::to_string(held_cost.value));
  }

  static bool holds(RefusalCode code) {
    return code == RefusalCode::frozen || code == RefusalCode::dependency ||
           code == RefusalCode::rule || code == RefusalCode::queue_paused;
  }

  void explain(int job, JobId id) {
    const auto plain = plain_.explain(id, now_);
    const auto indexed = core_.explain(id, now_);
    compare("j" + std::to_string(job), plain ? description_of(*plain) : "over",
            indexed ? description_of(*indexed) : "over");
  }

  const Watch& watch_;
  GovernorOptions options_;
  PlainCore plain_;
  Core core_;
  TimePoint now_;
  std::map<int, JobId> ids_;       ///< Of submitted or expected jobs.
  std::map<int, JobId> expected_;  ///< Not submitted yet.
  std::map<JobId, std::uint32_t> slots_;
  int passes_ = 0;
  std::string difference_;
};

}  // namespace

std::string difference(const History& history, const Watch& watch) {
  SideBySide both(history, watch);
  for (const Event& event : history.events) {
    const std::string what = both.step(event);
    if (!what.empty()) return "at \"" + describe(event) + "\": " + what;
  }
  return both.end();
}

History shrink(History history) {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = history.events.size(); i-- > 0;) {
      History shorter = history;
      shorter.events.erase(shorter.events.begin() + static_cast<std::ptrdiff_t>(i));
      if (difference(shorter).empty()) continue;
      history = std::move(shorter);
      again = true;
    }
  }
  return history;
}

}  // namespace sluice::reference
