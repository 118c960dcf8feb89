#include "service/jobserver/session.h"

#include "costmodel/history.h"
#include "costmodel/job_key.h"
#include "process/child/tree_cpu.h"

namespace sluice::jobserver {
namespace {

/// Cost of a token about which nothing is known.
constexpr Points kUnknownCost{10};

/// Numbers of runs start here, apart from those of jobs, which start at 1.
constexpr std::uint64_t kFirstRun = std::uint64_t{1} << 63;
constexpr int kRunBits = 24;

JobRequest kind_of(const Request& client) {
  JobRequest kind;
  kind.key = std::string(kTokenKey) + client.key;
  kind.takes_turns = true;
  kind.program = client.program;
  kind.user = client.user;
  kind.measured = true;
  kind.parent = client.parent;
  return kind;
}

/// Whether the prediction is for jobs like these, not for jobs at large.
bool is_of_its_kind(const Prediction& prediction) {
  return prediction.rung == Rung::key || prediction.rung == Rung::program ||
         prediction.rung == Rung::declared;
}

}  // namespace

JobRequest first_job_of(const Request& client, const History& history) {
  JobRequest job = kind_of(client);
  if (!is_of_its_kind(history.predict(job))) job.cost = kUnknownCost;
  return job;
}

Session::Session(std::uint64_t id, const Request& request, TokenFifo fifo)
    : id_(id),
      name_(request.name.empty() ? request.program : request.name),
      kind_(kind_of(request)),
      most_(request.most_tokens),
      fifo_(std::move(fifo)),
      runs_(kFirstRun | (id << kRunBits)) {}

View Session::view() const {
  return {.id = id_,
          .key = kind_.key,
          .program = kind_.program,
          .path = fifo_.path(),
          .running = running_,
          .warm = warm_,
          .granted = permits_.size(),
          .idle = idle(),
          .debt = debt_,
          .asked = asked_ ? 1U : 0U,
          .most_granted = most_granted_,
          .granted_ever = granted_ever_,
          .suspended = suspended_,
          .cost = warm_ ? prediction_.cost : kUnknownCost,
          .memory = expected_memory()};
}

End Session::end() const {
  return {.granted = permits_.size(),
          .lost = permits_.size() - idle(),
          .most_granted = most_granted_,
          .granted_ever = granted_ever_,
          .suspended = suspended_};
}

void Session::begin(pid_t process, std::function<void(const JobUsage&)> measured_slot,
                    TimePoint now) {
  running_ = true;
  process_ = process;
  cpu_.emplace(process, now);
  measured_slot_ = std::move(measured_slot);
}

bool Session::grant(Permit permit) {
  if (fifo_.put(1) != 1) return false;
  permits_.push_back(std::move(permit));
  used_.emplace_back();
  ++granted_ever_;
  most_granted_ = std::max(most_granted_, permits_.size());
  return true;
}

void Session::settle(const TokenDecision& decision) {
  const std::size_t taken = fifo_.take_tokens(decision.take_back);
  permits_.resize(permits_.size() - taken);
  used_.resize(permits_.size());
  debt_ = decision.debt - taken;
}

std::optional<std::string> Session::remove_surplus() {
  const std::size_t idle = fifo_.idle();
  if (idle <= permits_.size()) return std::nullopt;
  fifo_.take_tokens(idle - permits_.size());
  if (std::exchange(told_of_surplus_, true)) return std::nullopt;
  return name_ + " returned more tokens than it took; removed the surplus";
}

TokenClient Session::seen() const {
  const Points cost = permits_.empty() ? prediction_.cost : permits_.back().cost();
  return {.id = id_,
          .granted = permits_.size(),
          .idle = idle(),
          .asked = asked_ ? 1U : 0U,
          .most = most_,
          .warm = warm_,
          .sleeps = prediction_.sleeps,
          .cost = std::max(cost, Points{1}),
          .memory = expected_memory()};
}

Points Session::held() const {
  Points held{0};
  for (const Permit& each : permits_) held += each.cost();
  return held;
}

Points Session::held_idle() const {
  // Which permits are idle is unknown; the last to arrive are the first to go.
  Points held{0};
  for (std::size_t at = permits_.size() - idle(); at < permits_.size(); ++at) {
    held += permits_[at].cost();
  }
  return held;
}

std::vector<TokenRuns::Run> Session::sample(const std::vector<ClientProcess>& processes) {
  TokenRuns::Sample sample =
      runs_.sample(processes, process_, time_since_boot(), tick_of_this_machine());
  alive_ = std::move(sample.alive);
  return std::move(sample.ended);
}

ClientUse Session::use_of(const std::vector<ProcessFacts>& members,
                          std::map<pid_t, SchedulerTimes> times, TimePoint now) {
  return cpu_ ? cpu_->sample(members, std::move(times), now) : ClientUse{};
}

void Session::spread(Bytes memory, const ClientUse& use) {
  // The last to arrive are the first to go. An idle token reports no time either: it is expected to
  // need what any other did when a job begins on it.
  const std::size_t in_use = permits_.size() - idle();
  // The job that needs no token gets a part, too.
  const Bytes held{memory.value / (permits_.size() + 1)};
  for (std::size_t at = 0; at < permits_.size(); ++at) {
    JobUsage& used = used_[at];
    if (at < in_use) add_part(used, use, in_use + 1);
    used.memory = used.peak_memory = held;
    permits_[at].measured(used);
  }
  add_part(used_by_slot_, use, in_use + 1);
  used_by_slot_.memory = used_by_slot_.peak_memory = held;
  if (measured_slot_) measured_slot_(used_by_slot_);
}

void Session::foresee(const History& history) {
  prediction_ = history.predict(kind_);
  warm_ = is_of_its_kind(prediction_) && has_enough_runs(history);
}

Bytes Session::expected_memory() const {
  const double mean = prediction_.memory ? prediction_.memory->mean : 0;
  return Bytes{static_cast<std::uint64_t>(std::max(mean, 0.0))};
}

ExpectedPeak Session::likely_peak() const {
  constexpr double kZ = 2.33;
  return prediction_.memory ? expected_peak(kZ, *prediction_.memory) : ExpectedPeak{};
}

/// Runs of one command vary like those of its program, however few there are.
bool Session::has_enough_runs(const History& history) const {
  return warm_ || prediction_.rung != Rung::key || history.runs_behind(kind_) >= kLeastRuns;
}

}  // namespace sluice::jobserver
