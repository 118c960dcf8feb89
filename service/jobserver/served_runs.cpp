#include "service/jobserver/served_runs.h"

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "costmodel/history.h"

namespace sluice::jobserver {
namespace {

/// Between two samples of the clients' processes; longer if a sample takes more than a twentieth of
/// it, as on a host with very many processes.
constexpr Duration kSamplePoll = std::chrono::milliseconds(100);
constexpr int kPollPart = 20;
constexpr int kUrgentPollPart = 3;  ///< While memory is short or anything is suspended.

}  // namespace

ServedRuns::ServedRuns(std::shared_ptr<History> history, Say say, MemoryMeter brake)
    : history_(std::move(history)), say_(std::move(say)) {
  brake_with(std::move(brake));
}

void ServedRuns::brake_with(MemoryMeter brake) {
  brake_ = brake ? std::make_unique<LocalBrake>(std::move(brake)) : nullptr;
}

void ServedRuns::sample(Sessions& clients, Law law, TimePoint now) {
  if (now < poll_at_) return;
  for (const auto& [id, client] : clients) followed_.push_back(client.process());
  const std::vector<ProcessFacts> all = processes_.read(std::exchange(followed_, {}), now);
  const auto kills = read_host_oom_kills();
  const bool killed = kills && oom_kills_ && *kills > *oom_kills_;
  oom_kills_ = kills;
  for (auto& [id, client] : clients) {
    if (client.running()) measure(client, all, killed ? Outcome::oom : Outcome::ok, law, now);
  }
  if (brake_) brake(clients, now);
  const bool urgent = brake_ && brake_->is_urgent();
  const Duration took = Clock::now() - now;
  poll_at_ = now + std::max(kSamplePoll, took * (urgent ? kUrgentPollPart : kPollPart));
}

/// Runs that were cut off teach nothing.
void ServedRuns::finish(const Session& client, Outcome outcome) {
  for (const TokenRuns::Run& run : client.alive()) {
    outcome == Outcome::ok ? learn(client, run, outcome) : history_->ended(run.number);
    if (brake_) brake_->gone(run.number);
  }
}

void ServedRuns::measure(Session& client, const std::vector<ProcessFacts>& all, Outcome worst,
                         Law law, TimePoint now) {
  const auto members = members_of(all, client.process());
  for (const ProcessFacts& each : members) followed_.push_back(each.pid);
  auto processes = read_client(members);
  // The other laws go on learning what they have learned.
  if (law == Law::knee) read_times(processes);
  std::vector<TokenRuns::Run> over = client.sample(processes);
  std::ranges::sort(over, std::greater{},
                    [](const TokenRuns::Run& run) { return run.usage.peak_memory; });
  Outcome outcome = worst;
  for (const TokenRuns::Run& run : over) learn(client, run, std::exchange(outcome, Outcome::ok));
  for (const TokenRuns::Run& run : client.alive()) {
    history_->running(run.number, client.kind(), run.usage);
  }
  const ClientUse use = client.use_of(members, times_of(processes), now);
  client.spread(memory_of_client(processes), law == Law::knee ? use : ClientUse{});
  client.foresee(*history_);
}

void ServedRuns::learn(const Session& client, const TokenRuns::Run& run, Outcome outcome) {
  JobUsage usage = run.usage;
  if (brake_) usage.wall -= std::min(usage.wall, brake_->suspended_for(run.number, Clock::now()));
  history_->ended(run.number);
  history_->learn(sample_of(client.kind(), usage, SeenBy::governor, outcome,
                            client.expected_memory(), unix_seconds()));
}

void ServedRuns::brake(Sessions& clients, TimePoint now) {
  std::vector<BrakedRun> alive;
  std::map<std::uint64_t, Session*> owners;
  for (auto& [id, client] : clients) {
    for (const TokenRuns::Run& run : client.alive()) {
      alive.push_back({run.number, {run.process, run.started}, run.usage, client.likely_peak()});
      owners[run.process] = &client;
    }
  }
  for (const BrakeAction& action : brake_->poll(std::move(alive), now)) {
    const auto owner = owners.find(action.job);
    if (owner == owners.end()) continue;
    if (action.what == BrakeAction::What::suspended) {
      owner->second->count_suspension();
      ++suspended_;
    }
    say_(owner->second->name() + ": " + action.sentence());
  }
}

}  // namespace sluice::jobserver
