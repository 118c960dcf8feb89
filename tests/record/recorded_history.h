#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fakes.h"
#include "governor/recorded_core.h"
#include "reference/history.h"

namespace sluice::record::testing {

/// A random history of a core under every call, with a cost model that learns as jobs end.
class RecordedHistory {
 public:
  explicit RecordedHistory(std::uint64_t seed);

  /// Each call as bytes, in order.
  const std::vector<std::string>& play();

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  bool one_in(int n) { return pick(n) == 0; }

  CostModel model() const;
  JobId id_of(int job) const;
  void apply(const reference::Event& event);
  void submit(const reference::Event& event);
  void admitted(const Admitted& job) { slots_[job.id] = job.slot; }
  void finish(JobId id, Outcome outcome);
  void observe(double pressure);
  /// Something that happens between events.
  void measure();
  void measure_job();

  std::mt19937_64 random_;
  reference::History history_;
  TimePoint now_ = fakes::at(0);
  std::vector<std::string> calls_;
  inputs::InputLog log_{[this](TimePoint, std::string_view call) { calls_.emplace_back(call); }};
  std::shared_ptr<std::uint64_t> learned_ = std::make_shared<std::uint64_t>(1);
  std::optional<RecordedCore> core_;
  std::map<int, JobId> ids_;
  std::map<JobId, std::uint32_t> slots_;
};

}  // namespace sluice::record::testing
