#include "cli/batch/embedded.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/daemon_sentences.h"
#include "base/mailbox.h"
#include "base/seconds.h"
#include "cli/status/status_view.h"
#include "governor/memory/reservation.h"
#include "service/protocol/environment.h"

namespace sluice::cli {
namespace {

/// The resource manager of --jobs; no configuration uses this name by accident.
constexpr const char* kCap = "--jobs";

class EmbeddedBackend : public AdmissionBackend {
 public:
  EmbeddedBackend(const Options& options, std::shared_ptr<History> history,
                  std::optional<std::size_t> most_running, const std::optional<OuterPermit>& outer)
      : queueing_(options.queueing), reservation_(options.reservation) {
    Assembly assembly = assemble_batch(options, std::move(history));
    const bool is_ceiling = outer && outer->socket.empty();
    if (is_ceiling) {
      hold_to(*outer, assembly.options);
      most_points_ = outer->points;
    }
    if (most_running) {
      ResourceOptions cap;
      cap.total = static_cast<std::int64_t>(*most_running);
      assembly.options.queueing.resources[kCap] = cap;
      capped_ = true;
    }
    most_pending_ = std::min(assembly.options.max_pending, kMostWaiting);
    model_ = assembly.cost_model;
    GovernorEvents events;
    events.on_window = [this](const WindowChange& change) { changes_.put(change); };
    governor_ = std::make_unique<Governor>(std::move(assembly.options), std::move(assembly.sensors),
                                           std::move(assembly.cost_model), std::move(events));
    if (outer) outer_ = adopt(*outer, *governor_);
  }

  std::string check(const JobRequest& job) const override {
    const auto bad = governor_->check(job);
    return bad ? "`" + bad->field + "` " + bad->message : "";
  }

  void submit(std::size_t seq, const JobRequest& job) override {
    JobRequest request = job;
    if (capped_) request.resources.push_back({kCap, 1});
    if (outer_) request.parent = outer_.id();
    // There will never be more points: a job that asks for more gets all of them.
    if (request.cost) request.cost = std::min(*request.cost, most_points_);
    const auto memory = memory_kept_for(request);
    const auto result = governor_->submit(std::move(request), [this, seq](JobId, Admission end) {
      // A refusal here ends a wait that is no longer wanted.
      if (auto* permit = std::get_if<Permit>(&end)) admitted_.put({seq, std::move(*permit)});
    });
    if (const auto* refusal = std::get_if<Refusal>(&result)) {
      refused_.push_back({seq, to_sentence(*refusal)});
    } else if (std::get<Queued>(result).deduplicated) {
      refused_.push_back({seq, kAlikeRunsInstead});
    } else {
      waiting_[std::get<Queued>(result).id.value] = seq;
      memory_[seq] = memory;
    }
  }

  Events poll_events() override {
    Events events;
    events.changes = changes_.take_all();
    events.refused = std::exchange(refused_, {});
    for (auto& [seq, permit] : admitted_.take_all()) {
      waiting_.erase(permit.id().value);
      JobTerms terms{.environment = environment(permit), .nice = nice_of(permit)};
      tell({permit.cost(), memory_[seq], ""}, terms.environment);
      memory_.erase(seq);
      events.admitted.push_back({seq, permit.cost().value, std::move(terms)});
      permits_[seq] = std::move(permit);
    }
    return events;
  }

  std::vector<int> descriptors() const override {
    return {admitted_.descriptor(), changes_.descriptor()};
  }

  void started(std::size_t, pid_t) override {}

  void measured(std::size_t seq, const JobUsage& usage) override {
    const auto found = permits_.find(seq);
    if (found != permits_.end()) found->second.measured(usage);
  }

  void ended(std::size_t seq, Outcome outcome, const std::optional<JobUsage>& used) override {
    const auto found = permits_.find(seq);
    if (found == permits_.end()) return;
    if (used) found->second.measured(*used);
    found->second.release(outcome);
    permits_.erase(found);
  }

  void withdraw() override {
    governor_->drain();
    // Draining does not stop children of a permit that is still held.
    for (const auto& [id, seq] : waiting_) governor_->cancel(JobId{id});
  }

  std::size_t most_waiting() const override { return most_pending_; }
  std::optional<Status> status() const override { return governor_->status(); }
  std::optional<Wait> why_waiting() const override { return wait_in(governor_->status()); }

  std::optional<HostView> view() const override {
    const Status status = governor_->status();
    HostView view = view_of(status);
    for (const JobView& job : governor_->jobs()) {
      const auto seq = waiting_.find(job.id.value);
      if (job.state != JobState::pending || seq == waiting_.end()) continue;
      view.pending.push_back({std::to_string(seq->second), "", job.cost.value,
                              to_seconds(status.now - job.arrived),
                              job.refusal ? to_sentence(*job.refusal, status) : "", seq->second});
    }
    return view;
  }

 private:
  std::map<std::string, std::string> environment(const Permit& permit) const {
    if (permit.items().empty()) return {};
    return environment_of(permit.items(), [this](std::string_view manager) {
      const auto found = queueing_.resources.find(std::string(manager));
      return found != queueing_.resources.end() && found->second.jqm_compatible;
    });
  }

  std::optional<Bytes> memory_kept_for(const JobRequest& request) const {
    if (request.memory) return request.memory;
    const auto expected = model_(request).memory;
    return expected ? std::optional(reserved_peak(reservation_, *expected)) : std::nullopt;
  }

  /// A key may define its own niceness.
  std::optional<int> nice_of(const Permit& permit) const {
    if (queueing_.keys.empty()) return std::nullopt;
    const auto job = governor_->job(permit.id());
    return job ? job->request.nice : std::nullopt;
  }

  QueueingOptions queueing_;
  ReservationOptions reservation_;
  CostModel model_;
  Points most_points_ = kMostPoints;
  bool capped_ = false;
  std::size_t most_pending_ = 0;
  Mailbox<std::pair<std::size_t, Permit>> admitted_;  ///< Batch number and permit.
  Mailbox<WindowChange> changes_;
  std::vector<Refused> refused_;
  std::unordered_map<std::uint64_t, std::size_t> waiting_;        ///< Batch number by job id.
  std::unordered_map<std::size_t, std::optional<Bytes>> memory_;  ///< Reserved for waiting jobs.
  std::unordered_map<std::size_t, Permit> permits_;
  Permit outer_;                        ///< On which all jobs work; empty if there is none.
  std::unique_ptr<Governor> governor_;  ///< Last: its threads use the members above.
};

}  // namespace

Assembly assemble_batch(const Options& options, std::shared_ptr<History> history) {
  Assembly assembly = assemble(options, {std::move(history), {}});
  assembly.options.when_red = GovernorOptions::WhenRed::use_half;
  return assembly;
}

std::unique_ptr<AdmissionBackend> embedded_backend(const Options& options,
                                                   std::shared_ptr<History> history,
                                                   std::optional<std::size_t> most_running,
                                                   const std::optional<OuterPermit>& outer) {
  return std::make_unique<EmbeddedBackend>(options, std::move(history), most_running, outer);
}

}  // namespace sluice::cli
