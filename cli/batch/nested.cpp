#include "cli/batch/nested.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "cli/batch/daemon.h"
#include "cli/batch/embedded.h"

namespace sluice::cli {
namespace {

constexpr Duration kNestedAgain =
    std::chrono::seconds(1);  ///< Between attempts to reach the outer one.

/// The part of a job that has a meaning to a governor with another configuration.
JobRequest as_known_elsewhere(const JobRequest& job) {
  JobRequest request;
  request.key = job.key;
  request.program = job.program;
  request.variant = job.variant;
  request.priority = job.priority;
  request.inventory = job.inventory;
  request.cost = job.cost;
  request.memory = job.memory;
  request.nice = job.nice;
  request.measured = job.measured;
  request.suspendable = job.suspendable;
  return request;
}

class AskingBackend : public AdmissionBackend {
 public:
  AskingBackend(std::unique_ptr<AdmissionBackend> inner, std::unique_ptr<AdmissionBackend> outer,
                ReachOuter reach)
      : inner_(std::move(inner)), outer_(std::move(outer)), reach_(std::move(reach)) {}

  std::string check(const JobRequest& job) const override { return inner_->check(job); }

  void submit(std::size_t seq, const JobRequest& job) override {
    requests_[seq] = as_known_elsewhere(job);
    inner_->submit(seq, job);
  }

  Events poll_events() override {
    Events events = inner_->poll_events();
    for (const Refused& refused : events.refused) requests_.erase(refused.seq);
    for (Admitted& admitted : std::exchange(events.admitted, {})) {
      asking_.push_back({std::move(admitted)});
    }
    if (!outer_) regain(Clock::now());
    if (outer_) hear(events);
    outer_ ? ask() : admit_alone(events);
    return events;
  }

  std::vector<int> descriptors() const override {
    std::vector<int> all = inner_->descriptors();
    if (!outer_) return all;
    const std::vector<int> outer = outer_->descriptors();
    all.insert(all.end(), outer.begin(), outer.end());
    return all;
  }

  void started(std::size_t seq, pid_t leader) override {
    inner_->started(seq, leader);
    if (outer_) outer_->started(seq, leader);
  }

  void measured(std::size_t seq, const JobUsage& usage) override {
    inner_->measured(seq, usage);
    if (outer_) outer_->measured(seq, usage);
  }

  void ended(std::size_t seq, Outcome outcome, const std::optional<JobUsage>& usage) override {
    running_.erase(seq);
    inner_->ended(seq, outcome, usage);
    if (outer_) outer_->ended(seq, outcome, usage);
  }

  void withdraw() override {
    inner_->withdraw();
    if (outer_) outer_->withdraw();
    for (const Asking& asking : std::exchange(asking_, {})) {
      inner_->ended(asking.job.seq, Outcome::cancelled, std::nullopt);
    }
    requests_.clear();
  }

  std::size_t most_waiting() const override { return inner_->most_waiting(); }
  std::optional<Status> status() const override { return inner_->status(); }

  std::optional<Wait> why_waiting() const override {
    const auto outer = outer_ && !asking_.empty() ? outer_->why_waiting() : std::nullopt;
    return outer ? outer : inner_->why_waiting();
  }

  std::optional<HostView> view() const override { return inner_->view(); }

 private:
  /// A job admitted here that waits for the outer backend.
  struct Asking {
    Admitted job;
    bool is_told = false;  ///< The outer backend knows of it.
  };

  void ask() {
    const auto told = static_cast<std::size_t>(std::ranges::count_if(asking_, &Asking::is_told));
    std::size_t more = outer_->most_waiting() - std::min(told, outer_->most_waiting());
    for (Asking& asking : asking_) {
      if (asking.is_told || more == 0) continue;
      --more;
      asking.is_told = true;
      outer_->submit(asking.job.seq, requests_.at(asking.job.seq));
    }
  }

  std::vector<Asking>::iterator find_asking(std::size_t seq) {
    return std::ranges::find(asking_, seq, [](const Asking& a) { return a.job.seq; });
  }

  std::optional<Admitted> remove_asking(std::size_t seq) {
    const auto found = find_asking(seq);
    if (found == asking_.end()) return std::nullopt;
    Admitted job = std::move(found->job);
    asking_.erase(found);
    requests_.erase(seq);
    return job;
  }

  void hear(Events& events) {
    Events outer = outer_->poll_events();
    for (Admitted& admitted : outer.admitted) pass_on(std::move(admitted), events);
    for (Refused& refused : outer.refused) {
      remove_asking(refused.seq);
      inner_->ended(refused.seq, Outcome::cancelled, std::nullopt);
      events.refused.push_back(std::move(refused));
    }
    for (const Unasked& unasked : outer.unasked) {
      const auto found = find_asking(unasked.seq);
      if (found != asking_.end()) found->is_told = false;
    }
    // The end of a running job frees descriptors.
    const bool is_short = !outer.unasked.empty() && running_.empty();
    if (outer.lost.empty() && !is_short) return;
    outer_.reset();
    for (Asking& asking : asking_) asking.is_told = false;
    again_ = Clock::now() + kNestedAgain;
  }

  /// Combines the terms of both backends; the outer one's take precedence.
  void pass_on(Admitted outer, Events& events) {
    auto inner = remove_asking(outer.seq);
    if (!inner) return;
    outer.terms.environment.merge(inner->terms.environment);
    if (!outer.terms.nice) outer.terms.nice = inner->terms.nice;
    admit(std::move(outer), events);
  }

  void admit(Admitted admitted, Events& events) {
    running_.insert(admitted.seq);
    events.admitted.push_back(std::move(admitted));
  }

  void regain(TimePoint now) {
    if (now < again_) return;
    again_ = now + kNestedAgain;
    outer_ = reach_();
  }

  /// Without a running job the permit would be idle for as long as no one can be asked.
  void admit_alone(Events& events) {
    if (!running_.empty() || asking_.empty()) return;
    admit(*remove_asking(asking_.front().job.seq), events);
  }

  std::unique_ptr<AdmissionBackend> inner_;
  std::unique_ptr<AdmissionBackend> outer_;  ///< Null if it is gone.
  ReachOuter reach_;
  TimePoint again_;
  std::unordered_map<std::size_t, JobRequest> requests_;  ///< Of jobs that wait for either backend.
  std::vector<Asking> asking_;                            ///< In the order of `inner_`.
  std::set<std::size_t> running_;
};

}  // namespace

std::unique_ptr<AdmissionBackend> asking_backend(std::unique_ptr<AdmissionBackend> inner,
                                                 std::unique_ptr<AdmissionBackend> outer,
                                                 ReachOuter reach) {
  return std::make_unique<AskingBackend>(std::move(inner), std::move(outer), std::move(reach));
}

std::unique_ptr<AdmissionBackend> governed_backend(const Options& options,
                                                   std::shared_ptr<History> history,
                                                   std::optional<std::size_t> most_running,
                                                   std::optional<OuterPermit> outer) {
  const std::string socket = outer ? outer->socket : "";
  const ReachOuter reach = [socket]() -> std::unique_ptr<AdmissionBackend> {
    auto backend = daemon_backend(socket, std::nullopt);
    auto* made = std::get_if<std::unique_ptr<AdmissionBackend>>(&backend);
    return made ? std::move(*made) : nullptr;
  };
  auto reached = socket.empty() ? nullptr : reach();
  if (outer && !reached) outer->socket.clear();
  auto inner = embedded_backend(options, std::move(history), most_running, outer);
  if (!reached) return inner;
  return asking_backend(std::move(inner), std::move(reached), reach);
}

}  // namespace sluice::cli
