#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "costmodel/history.h"

namespace sluice::history_test {

inline constexpr std::uint64_t kMiB = 1 << 20;

inline Sample sample(std::string key, std::string program, std::uint64_t mib, double cores = 1) {
  static std::int64_t ended = 0;
  return {std::move(key),    std::move(program),      ++ended, Outcome::ok, cores,
          Bytes{mib * kMiB}, std::chrono::seconds(10)};
}

inline JobRequest job_of(std::string key, std::string program) {
  JobRequest job;
  job.key = std::move(key);
  job.program = std::move(program);
  job.measured = true;
  return job;
}

inline Sample of_user(std::string user, Sample sample, SeenBy seen_by = SeenBy::client) {
  sample.user = std::move(user);
  sample.seen_by = seen_by;
  return sample;
}

inline JobRequest of_user(std::string user, JobRequest job) {
  job.user = std::move(user);
  return job;
}

inline JobUsage used(std::uint64_t mib) {
  JobUsage usage;
  usage.wall = std::chrono::seconds(2);
  usage.cpu = std::chrono::seconds(3);
  usage.memory = usage.peak_memory = Bytes{mib * kMiB};
  return usage;
}

inline double mean_mib(const Prediction& prediction) {
  return prediction.memory ? prediction.memory->mean / kMiB : -1;
}

inline ReservationOptions prior(std::uint64_t mib) {
  ReservationOptions options;
  options.prior = Bytes{mib * kMiB};
  return options;
}

/// Retains samples for the next history of the same test.
class Recorder : public SampleStore {
 public:
  std::vector<Sample> load() override { return samples; }
  void add(const Sample& sample) override { samples.push_back(sample); }
  std::vector<ForgottenKey> forget(const SampleFilter& which) override {
    std::erase_if(samples, [&](const Sample& each) { return each.key == which.key; });
    return {};
  }
  StoreNews news() override { return std::exchange(foreign, {}); }

  std::vector<Sample> samples;
  StoreNews foreign;
};

}  // namespace sluice::history_test
