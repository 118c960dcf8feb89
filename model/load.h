#pragma once

#include <cstdint>

namespace sluice::model {

/// load1 as the kernel computes it: fixed point with 11 bits of fraction, every 5 s, 60 s decay.
class LoadAverage {
 public:
  /// One sample; call it every five seconds. `active`: tasks that run, can run or are blocked.
  void sample(double active);
  double value() const;

 private:
  std::uint64_t load_ = 0;
};

/// A stall as `avg10` of PSI shows it, a part of the time from 0 to 1: every 2 s, 10 s decay.
class StallAverage {
 public:
  /// One sample; call it every two seconds. `part`: of the time, now.
  void sample(double part);
  double value() const { return average_; }

 private:
  double average_ = 0;
};

}  // namespace sluice::model
