#include "recognition/build_tree.h"

#include <algorithm>
#include <utility>

namespace sluice {

namespace {

using Act = TreeAction::What;

}  // namespace

BuildTree::BuildTree(pid_t root, BuildTreeOptions options) : root_(root), options_(options) {
  processes_[root];
}

BuildTree::Process* BuildTree::find(pid_t process) {
  const auto found = processes_.find(process);
  return found == processes_.end() ? nullptr : &found->second;
}

const BuildTree::Process* BuildTree::find(pid_t process) const {
  const auto found = processes_.find(process);
  return found == processes_.end() ? nullptr : &found->second;
}

/// A copy of a compiler is a job like any other, until it becomes something.
ProgramKind BuildTree::kind_of(const Process& process) const {
  const Process* at = &process;
  while (at && !at->kind) at = find(at->parent);
  if (!at) return {ProgramClass::transparent, false};
  ProgramKind kind = *at->kind;
  if (at != &process && kind.what == ProgramClass::heavy) kind = {ProgramClass::other};
  return kind;
}

bool BuildTree::is_ignored(const Process& process) const {
  for (const Process* at = &process; at; at = find(at->parent)) {
    if (at->kind && at->kind->what == ProgramClass::governed) return true;
  }
  return false;
}

bool BuildTree::is_timed(const Process& process) const {
  for (const Process* at = find(process.parent); at; at = find(at->parent)) {
    if (at->kind && at->kind->keeps_time) return true;
  }
  return false;
}

void BuildTree::appeared(pid_t process, pid_t parent, TimePoint now) {
  if (!knows(parent) || knows(process)) return;
  Process& added = processes_[process];
  added.parent = parent;
  added.since = now;
  added.order = ++appeared_;
}

void BuildTree::became(pid_t process, const ProgramKind& kind, TimePoint now) {
  Process* const found = find(process);
  if (!found) return;
  give_up_permit(process, false);
  go_on(process);
  found->kind = kind;
  found->since = now;
  found->beyond.reset();
  found->is_refused = false;
  if (!has_daemon_) found->beyond = NoPermitReason::ungoverned;
}

void BuildTree::gone(pid_t process) {
  if (!knows(process)) return;
  give_up_permit(process, true);
  const Process ended = processes_.at(process);
  processes_.erase(process);
  // Orphans stay where they were started: below what started their parent.
  for (auto& [_, each] : processes_) {
    if (each.parent == process) each.parent = ended.parent;
  }
}

/// Also of what is covered: it then seeks one of its own.
void BuildTree::give_up_permit(pid_t process, bool has_ended) {
  Process& at = processes_.at(process);
  if (at.permit != Permit::none) {
    actions_.push_back({.what = Act::release, .process = process, .has_ended = has_ended});
  }
  at.permit = Permit::none;
  if (Process* cover = find(std::exchange(at.covered_by, 0))) cover->covers = 0;
  if (Process* covered = find(std::exchange(at.covers, 0))) covered->covered_by = 0;
}

void BuildTree::go_on(pid_t process) {
  Process& at = processes_.at(process);
  if (!at.held) return;
  at.held.reset();
  actions_.push_back({.what = Act::go_on, .process = process});
}

void BuildTree::granted(pid_t process) {
  Process* const found = find(process);
  if (!found || found->permit == Permit::none) return;
  found->permit = Permit::granted;
  found->beyond.reset();
  go_on(process);
}

void BuildTree::waits(pid_t process, WaitsFor waits_for, TimePoint now) {
  Process* const found = find(process);
  if (!found || found->permit == Permit::none) return;
  found->permit = Permit::waiting;
  found->waits_for = waits_for;
  if (found->beyond || process == root_) return;
  if (waits_for == WaitsFor::nothing) {
    found->beyond = NoPermitReason::ungoverned;
    ++beyond_[NoPermitReason::ungoverned];
    return go_on(process);
  }
  if (found->held) return;
  found->held = now;
  actions_.push_back({.what = Act::hold, .process = process});
}

void BuildTree::refused(pid_t process) {
  Process* const found = find(process);
  if (!found) return;
  found->permit = Permit::none;
  found->beyond = NoPermitReason::ungoverned;
  found->is_refused = true;
  ++beyond_[NoPermitReason::ungoverned];
  go_on(process);
}

void BuildTree::not_held(pid_t process) {
  Process* const found = find(process);
  if (!found || !found->held) return;
  found->held.reset();
  found->beyond = NoPermitReason::unstoppable;
  ++beyond_[NoPermitReason::unstoppable];
}

void BuildTree::let_go(pid_t process, NoPermitReason why) {
  Process* const found = find(process);
  if (!found || !found->held) return;
  found->beyond = why;
  ++beyond_[why];
  go_on(process);
}

bool BuildTree::may_go_with(pid_t held, pid_t running) const {
  const Process* const at = find(held);
  const Process* const other = find(running);
  if (!at || !other || at->parent != other->parent) return false;
  if (!at->held || at->waits_for == WaitsFor::memory) return false;
  if (kind_of(*at).what == ProgramClass::heavy || (at->kind && at->kind->is_known_heavy)) {
    return false;
  }
  return other->permit == Permit::granted || other->beyond == NoPermitReason::pipeline;
}

void BuildTree::daemon_lost() {
  has_daemon_ = false;
  for (auto& [process, each] : processes_) {
    const bool lacks_one = each.permit == Permit::asked || each.permit == Permit::waiting;
    if (lacks_one && !each.beyond) ++beyond_[NoPermitReason::ungoverned];
    each.permit = Permit::none;
    each.beyond = NoPermitReason::ungoverned;
    go_on(process);
  }
}

void BuildTree::daemon_found(std::optional<Duration> timed_hold) {
  has_daemon_ = true;
  options_.timed_hold = timed_hold.value_or(options_.timed_hold);
  for (auto& [_, each] : processes_) each.is_refused = false;
}

/// Whether a process below it holds a permit or waits for one.
bool BuildTree::permit_below(pid_t process) const {
  return std::ranges::any_of(processes_, [&](const auto& each) {
    if (each.second.permit == Permit::none) return false;
    for (const Process* at = &each.second; at; at = find(at->parent)) {
      if (at->parent == process) return true;
    }
    return false;
  });
}

/// How long a process that is not heavy, or brief, runs before it asks.
Duration BuildTree::unlisted_runs_for() const {
  const bool is_short_of_memory = std::ranges::any_of(processes_, [](const auto& each) {
    return each.second.held && each.second.waits_for == WaitsFor::memory;
  });
  if (observes_a_crowd()) return Duration{0};
  return is_short_of_memory ? options_.short_observation : options_.observation;
}

bool BuildTree::observes_a_crowd() const {
  std::vector<pid_t> observed;
  for (const auto& [process, at] : processes_) {
    if (at.permit != Permit::none || at.covered_by != 0 || at.is_refused) continue;
    const ProgramKind kind = kind_of(at);
    const bool waits_to_ask = kind.what == ProgramClass::other || kind.is_brief;
    if (waits_to_ask && !is_ignored(at)) observed.push_back(process);
  }
  if (observed.size() <= options_.most_observed) return false;
  // A process that waits for a job below it asks for none, however long it lives.
  std::erase_if(observed, [this](pid_t process) { return permit_below(process); });
  return observed.size() > options_.most_observed;
}

/// nullopt if it needs no permit; one that is not heavy, or brief, asks once it has run for
/// `observation`.
std::optional<TimePoint> BuildTree::asks_at(pid_t process, Duration observation) const {
  const Process& at = processes_.at(process);
  if (!has_daemon_ || at.is_refused) return std::nullopt;
  if (at.permit != Permit::none || at.covered_by != 0) return std::nullopt;
  const ProgramKind kind = kind_of(at);
  if (kind.what == ProgramClass::transparent || is_ignored(at)) return std::nullopt;
  const bool is_known_heavy = at.kind && at.kind->is_known_heavy;
  if (kind.is_brief) return at.since + observation;
  if (kind.what == ProgramClass::heavy || is_known_heavy) return at.since;
  if (permit_below(process)) return std::nullopt;
  // A copy of its parent is about to execute something, and its parent may wait for that.
  return at.since + (at.kind ? observation : std::max(observation, options_.short_observation));
}

/// A heavy process above it covers it, or it asks.
void BuildTree::seek_permit(pid_t process) {
  Process& at = processes_.at(process);
  for (pid_t above = at.parent; Process* each = find(above); above = each->parent) {
    const ProgramKind kind = kind_of(*each);
    const ProgramClass what = kind.what;
    // A brief one may wait for this one, and is not to ask beside it.
    if (kind.is_brief && asks_at(above, Duration{0})) seek_permit(above);
    const bool works = each->permit != Permit::none || each->covered_by != 0;
    if (what == ProgramClass::heavy && works && each->covers == 0) {
      each->covers = process;
      at.covered_by = above;
      return;
    }
    if (what == ProgramClass::other && each->permit == Permit::granted) {
      at.permit = Permit::asked;
      actions_.push_back({.what = Act::ask, .process = process, .parent = above});
      return;
    }
  }
  at.permit = Permit::asked;
  actions_.push_back({.what = Act::ask, .process = process});
}

std::vector<TreeAction> BuildTree::act(TimePoint now) {
  std::vector<std::pair<std::size_t, pid_t>> seeking;
  const Duration observation = unlisted_runs_for();
  for (const auto& [process, each] : processes_) {
    const auto due = asks_at(process, observation);
    if (due && *due <= now) seeking.emplace_back(each.order, process);
    const bool is_late = each.held && now - *each.held >= options_.timed_hold;
    if (is_late && each.waits_for != WaitsFor::memory && is_timed(each)) {
      let_go(process, NoPermitReason::timekeeper);
    }
  }
  std::ranges::sort(seeking);
  for (const auto& [_, process] : seeking) seek_permit(process);
  return std::exchange(actions_, {});
}

std::optional<TimePoint> BuildTree::next() const {
  std::optional<TimePoint> first;
  const auto consider = [&](TimePoint at) { first = first ? std::min(*first, at) : at; };
  if (!actions_.empty()) consider(TimePoint{});
  const Duration observation = unlisted_runs_for();
  for (const auto& [process, each] : processes_) {
    if (const auto at = asks_at(process, observation)) consider(*at);
    if (each.held && each.waits_for != WaitsFor::memory && is_timed(each)) {
      consider(*each.held + options_.timed_hold);
    }
  }
  return first;
}

bool BuildTree::holds_permit(pid_t process) const {
  const Process* found = find(process);
  return found && found->permit == Permit::granted;
}

std::vector<HeldProcess> BuildTree::held() const {
  std::vector<HeldProcess> held;
  for (const auto& [process, each] : processes_) {
    if (!each.held) continue;
    const Process* const parent = find(each.parent);
    const bool may_talk = parent && kind_of(*parent).what == ProgramClass::other;
    held.push_back({process, *each.held, each.waits_for, may_talk ? each.parent : 0});
  }
  std::ranges::sort(held, {}, [&](const HeldProcess& each) { return find(each.process)->order; });
  return held;
}

bool BuildTree::is_holder(const Process& process) {
  return process.permit == Permit::granted || (process.permit == Permit::waiting && !process.held);
}

std::vector<pid_t> BuildTree::holders() const {
  std::vector<pid_t> holders;
  for (const auto& [process, each] : processes_) {
    if (is_holder(each)) holders.push_back(process);
  }
  return holders;
}

pid_t BuildTree::holder_above(pid_t process) const {
  pid_t at = process;
  for (const Process* each = find(at); each; each = find(at)) {
    if (is_holder(*each)) return at;
    at = each->parent;
  }
  return 0;
}

}  // namespace sluice
