#include "recognition/build_record.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "base/parse.h"

namespace sluice {
namespace {

constexpr const char* kOwnQueue = "its own queue";
constexpr const char* kAnotherBuild = "another build";

/// For the codes of waiting jobs whose binding says no more; null for others.
const char* cause_by_code(const std::string& code) {
  static const std::map<std::string, const char*> causes{
      {"paused", "the operator's pause"}, {"draining", "the end of a drain"},
      {"queue_paused", "a paused queue"}, {"frozen", "a frozen job"},
      {"contention", "a lock"},           {"dependency", "a job that it depends on"},
      {"rule", "a configured rule"},      {"rate_limit", "a rate limit"}};
  const auto found = causes.find(code);
  return found == causes.end() ? nullptr : found->second;
}

/// The refusal's code and its binding.
std::pair<std::string, std::string> parts_of(const std::string& kind) {
  const std::size_t gap = kind.find(' ');
  return {kind.substr(0, gap), gap == std::string::npos ? "" : kind.substr(gap + 1)};
}

}  // namespace

std::string wait_cause_of(const std::string& kind) {
  // Nothing refuses it: it waits until the daemon comes to it in the queue of its build.
  if (kind.empty()) return kOwnQueue;
  const auto [code, binding] = parts_of(kind);
  if (const char* cause = cause_by_code(code)) return cause;
  if (code == "memory" || binding.find("memory") != std::string::npos) return "memory";
  if (code == "window") return binding.starts_with("cpu") ? "CPUs" : "the window";
  if (code == "behind" || code == "held_for") return kAnotherBuild;
  const bool is_named = code == "sensor" || code == "resource";
  if (!is_named) return "another reason";  // Of a newer daemon.
  return binding.empty() ? "a " + code : code + " " + binding;
}

WaitsFor waits_for(const std::string& kind) {
  const auto [code, binding] = parts_of(kind);
  if (code == "draining") return WaitsFor::nothing;
  const bool is_paused =
      code == "paused" || code == "queue_paused" || code == "frozen" || code == "rule";
  if (is_paused) return WaitsFor::resume;
  // Held processes may themselves keep a sensor red, by memory, places or files.
  if (kind.find("memory") != std::string::npos) return WaitsFor::memory;
  // "starting" counts jobs that run: it is a part of the window.
  return code == "sensor" && binding != "starting" ? WaitsFor::sensor : WaitsFor::window;
}

std::string wait_sentence(const std::string& kind, const std::string& reason) {
  const auto [code, binding] = parts_of(kind);
  if (code == "paused") return "the host is paused (continue with sluice resume)";
  if (code == "queue_paused" && !binding.empty()) {
    return reason + " (continue with sluice resume --queue " + binding + ")";
  }
  return reason;
}

void add_no_permit_counts(BuildReport& report,
                          const std::map<NoPermitReason, std::size_t>& counts) {
  const auto count = [&](NoPermitReason why) { return counts.contains(why) ? counts.at(why) : 0; };
  report.beyond_stall = count(NoPermitReason::stalled);
  report.beyond_pipeline = count(NoPermitReason::pipeline);
  report.beyond_clock = count(NoPermitReason::timekeeper);
  report.beyond_unstoppable = count(NoPermitReason::unstoppable);
  report.beyond_daemon = count(NoPermitReason::ungoverned);
}

/// Behind an earlier job of the same build: what that one lacks.
std::string BuildRecord::lacked_by(const PermitNews& news) const {
  std::string lacks = wait_cause_of(news.reason_kind);
  if (lacks != kAnotherBuild || !news.ahead.starts_with(prefix_)) return lacks;
  const auto first = parse_u64(std::string_view(news.ahead).substr(prefix_.size()));
  const auto found = waits_.find(first.value_or(0));
  return found == waits_.end() ? kOwnQueue : found->second.lacks;
}

void BuildRecord::waits(const PermitNews& news, TimePoint now) {
  std::string lacks = lacked_by(news);
  count_wait(news.ticket, now);
  waits_[news.ticket] = {std::move(lacks), now};
}

void BuildRecord::count_wait(Ticket ticket, TimePoint now) {
  const auto found = waits_.find(ticket);
  if (found == waits_.end()) return;
  const auto& [lacks, since] = found->second;
  so_far_.waited[lacks] += now - since;
  waited_by_ticket_[ticket][lacks] += now - since;
  waits_.erase(found);
}

void BuildRecord::goes(Ticket ticket, TimePoint now) {
  count_wait(ticket, now);
  waited_by_ticket_.erase(ticket);
}

void BuildRecord::granted(Ticket ticket, TimePoint now) {
  count_wait(ticket, now);
  ++so_far_.runs;
  so_far_.most_running = std::max(so_far_.most_running, ++so_far_.running);
}

void BuildRecord::ended(BuildRun run, const ProcessEnd& end, Outcome outcome, Ticket ticket) {
  --so_far_.running;
  if (auto waited = waited_by_ticket_.extract(ticket)) run.waited = std::move(waited.mapped());
  if (outcome == Outcome::oom) killed_by_ticket_[ticket] = so_far_.killed_for_memory.size();
  note_kill(run, end, outcome);
  auto& heaviest = so_far_.heaviest;
  const auto place = std::ranges::upper_bound(heaviest, run.peak, std::greater(), &BuildRun::peak);
  heaviest.insert(place, std::move(run));
  if (heaviest.size() > most_heaviest_) heaviest.pop_back();
}

void BuildRecord::note_kill(const BuildRun& run, const ProcessEnd& end, Outcome outcome) {
  if (outcome == Outcome::oom) {
    so_far_.killed_for_memory.push_back(run);
  } else if (end.has_ended && outcome == Outcome::unknown) {
    so_far_.maybe_killed.push_back(run);
  }
}

void BuildRecord::learned(Ticket ticket, std::optional<Bytes> next) {
  const auto found = killed_by_ticket_.find(ticket);
  if (found != killed_by_ticket_.end()) so_far_.killed_for_memory[found->second].next = next;
}

void BuildRecord::lost(TimePoint now) {
  while (!waits_.empty()) count_wait(waits_.begin()->first, now);
  waited_by_ticket_.clear();
  so_far_.running = 0;
}

BuildReport BuildRecord::report(TimePoint now) const {
  BuildReport report = so_far_;
  for (const auto& [_, wait] : waits_) report.waited[wait.lacks] += now - wait.since;
  return report;
}

BuildReport BuildRecord::counts() const {
  BuildReport report;
  report.runs = so_far_.runs;
  report.running = so_far_.running;
  report.most_running = so_far_.most_running;
  return report;
}

}  // namespace sluice
