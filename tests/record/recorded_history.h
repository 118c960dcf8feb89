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

/// Where a replay can begin: at the start, or also wherever the window was adjusted.
enum class Beginnings { start, everywhere };

/// A random history of a core under every call, with a cost model that learns as jobs end.
class RecordedHistory {
 public:
  explicit RecordedHistory(std::uint64_t seed, Beginnings beginnings = Beginnings::start);

  /// Each call as bytes, in order.
  const std::vector<std::string>& play();
  /// What the core said, in words.
  const std::vector<std::string>& decisions() const { return decisions_; }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  bool one_in(int n) { return pick(n) == 0; }

  CostModel model() const;
  JobId id_of(int job) const;
  void apply(const reference::Event& event);
  void submit(const reference::Event& event);
  void admitted(const Admitted& job);
  void refused(const Refusal& refusal) { decisions_.push_back(to_sentence(refusal)); }
  void finish(JobId id, Outcome outcome);
  void observe(double pressure);
  /// Something that happens between events.
  void measure();
  void measure_job();

  std::mt19937_64 random_;
  reference::History history_;
  TimePoint now_ = fakes::at(0);
  std::vector<std::string> calls_;
  std::vector<std::string> decisions_;
  inputs::InputLog log_;
  std::shared_ptr<std::uint64_t> learned_ = std::make_shared<std::uint64_t>(1);
  std::optional<RecordedCore> core_;
  std::map<int, JobId> ids_;
  std::map<JobId, std::uint32_t> slots_;
};

}  // namespace sluice::record::testing
