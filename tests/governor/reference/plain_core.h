#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "governor/core.h"
#include "reference/plain_job.h"

namespace sluice::reference {

/// Admission as the documents describe it, without any derived state: every answer is a scan over
/// all jobs. It reads as the specification and is the reference for the indexed core, so it takes
/// the same events and gives the same decisions. It omits the control law (`set_size` sets the
/// window), the sensors (`show_red`), and the checks of requests.
class PlainCore {
 public:
  PlainCore(GovernorOptions options, CostModel cost_model, std::vector<KnownSensor> sensors,
            TimePoint now);

  std::variant<Queued, Refusal> submit(JobRequest request, TimePoint now,
                                       std::optional<JobId> expected = std::nullopt);
  JobId expect();
  void give_up(JobId expected);
  bool cancel(JobId id);
  std::optional<BadRequest> set(JobId id, const JobChange& change, TimePoint now);
  bool operate_queue(std::string_view queue, Switch position);
  std::vector<Ended> take_ended();
  /// The slot of a running job is its number.
  void finish(std::uint32_t slot, Outcome outcome, TimePoint now);
  void operate(Switch position) { operated_ = position; }
  void reload(GovernorOptions options);
  void set_size(Points size) { size_ = size; }
  /// The worst red sensor; empty if all are green.
  void show_red(std::string_view sensor) { red_ = sensor; }

  std::vector<Admitted> pass(TimePoint now, std::vector<Decision>* decisions = nullptr);
  std::optional<TimePoint> next_boundary(TimePoint now) const;

  std::optional<Explanation> explain(JobId id, TimePoint now) const;
  Points usage() const;
  std::size_t running() const { return running_.size(); }
  std::size_t pending() const { return pending_.size(); }

 private:
  // Properties of a job.
  JobRequest completed(JobRequest request) const;
  std::map<std::string, std::int64_t> needs_of(const JobRequest& request) const;
  Points cost_of(const JobRequest& request) const;
  std::optional<Refusal> never(const Job& job) const;
  const RuleOptions* applying_rule(const Job& job) const;
  std::string name_of(const RuleOptions& rule) const;
  std::set<std::string> buckets_of(const Job& job) const;

  // Its weight.
  int level_value(const Job& job, std::size_t level) const;
  int spv(const Job& job) const;
  std::int64_t ticks(const Job& job, TimePoint now) const;
  bool is_saturated(const Job& job, TimePoint now) const;
  std::int64_t aged(int spv, const Job& job, TimePoint now) const;
  double weight(int spv, const Job& job, TimePoint now) const;
  std::vector<const Job*> in_order(const std::string& queue, TimePoint now,
                                   const std::map<JobId, int>& frozen_spv) const;

  // Whether it may start at all.
  bool would_block(const Job& job, const Job& holder) const;
  std::optional<Refusal> closed(const Job& job) const;
  std::optional<Refusal> hindered(const Job& job) const;
  std::optional<JobId> awaited(const Job& job) const;
  std::optional<Refusal> limited(const Job& job) const;
  std::optional<Refusal> held(const Job& job) const;
  std::optional<Refusal> reserved(const Job& job, TimePoint now) const;
  std::optional<Refusal> ineligible(const Job& job, TimePoint now) const;

  // Whether there is room for it.
  std::int64_t free_of(const std::string& manager, const std::string& job_key) const;
  std::vector<std::string> free_items(const std::string& manager) const;
  void add_room(std::vector<Short>& shorts, const Pass& pass, const Job& job) const;
  void add_managers(std::vector<Short>& shorts, const Pass& pass, const Job& job) const;

  // The pass.
  std::vector<std::string> queue_order(TimePoint now) const;
  bool one_pass(Pass& pass);
  bool take_candidate(Pass& pass, const std::string& queue);
  bool may_pass_over(Pass& pass, const Job& job, const std::vector<Short>& shorts) const;
  void end_queue(Pass& pass, const Job& job, const std::vector<Short>& shorts) const;
  void admit(Pass& pass, const Job& job);
  void tell(Pass& pass, const Job& job, const Refusal& refusal);
  int spv_in(const Pass& pass, const Job& job) const;

  void end(JobId id, Outcome outcome);
  std::string_view named(std::string name) const;
  Refusal refusal(const Job& job, RefusalCode code, std::string binding, JobId ahead = {}) const;
  double place_at(const Job& job, const JobChange::Position& position) const;
  Job* find_pending(JobId id);
  const Job* find(JobId id) const;

  GovernorOptions options_;
  CostModel cost_model_;
  Points size_;
  Switch operated_ = Switch::running;
  std::string red_;
  std::set<std::string> paused_queues_;
  std::vector<Job> pending_;           ///< In order of arrival.
  std::vector<Job> running_;           ///< In order of admission.
  std::map<JobId, Outcome> over_;      ///< Ended jobs, whether they ran or not.
  std::map<JobId, std::string> told_;  ///< The last refusal reported, and what binds.
  std::vector<Ended> ended_;
  mutable std::set<std::string> names_;  ///< Bindings live as long as the governor.
  std::uint64_t last_id_ = 0;
  std::uint64_t last_number_ = 0;
};

}  // namespace sluice::reference
