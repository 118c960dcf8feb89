#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "sluice/status.h"
#include "sluice/units.h"

namespace sluice {

/// The last hour of a governor: a sample every few seconds, and the last cuts of its window. A
/// value without a clock: times are those of the status that it is given. They are monotonic, so a
/// jump of the wall clock moves nothing. Bounded: at most 300 KB, and 110 KB with a dozen sensors.
class Timeline {
 public:
  static constexpr Duration kStep = std::chrono::seconds(5);
  static constexpr Duration kSpan = std::chrono::hours(1);
  static constexpr std::size_t kMostSamples = kSpan / kStep;
  static constexpr std::size_t kMostSensors = 64;  ///< More are left out, and counted.
  static constexpr std::size_t kMostCuts = 50;
  static constexpr std::size_t kMostReasonBytes = 512;

  /// One instant. A gap of more than a step between samples means that the daemon stood still.
  struct Sample {
    TimePoint at;
    std::int64_t window = 0, usage = 0;  ///< Points.
    std::size_t pending = 0, running = 0;
    /// In the order of `sensors`, from 0 to 100; NaN if the sensor was not fresh. May be shorter
    /// than `sensors`: sensors added later are missing.
    std::vector<float> pressures;
    float worst = 0;  ///< The largest pressure that counted; 0 if none did.
    /// As in `CpuStatus`; NaN if the CPUs were not measured.
    float busy = std::numeric_limits<float>::quiet_NaN(), waiting = busy;
  };

  /// A reduction of the window.
  struct Cut {
    TimePoint at;
    Points from, to;
    WindowCause cause = WindowCause::red;
    std::string sensor;  ///< For `red`; otherwise empty.
    std::string reason;  ///< The change as a sentence, with the numbers behind it.
  };

  /// Whether a step has passed since the last sample, or there is no sample.
  bool is_due(TimePoint now) const { return samples_.empty() || now >= samples_.back().at + kStep; }

  /// Takes a sample and forgets those older than the span. Samples stay in order: a status not
  /// younger than the last sample is ignored.
  void sample(const Status& status);

  /// Records a cut; ignores changes that enlarge the window.
  void record_change(const WindowChange& change);

  const std::deque<Sample>& samples() const { return samples_; }      ///< Oldest first.
  const std::vector<std::string>& sensors() const { return names_; }  ///< Names of the columns.
  std::size_t sensors_left_out() const { return left_out_; }          ///< In the last sample.
  const std::deque<Cut>& cuts() const { return cuts_; }               ///< Oldest first.
  std::uint64_t cuts_forgotten() const { return forgotten_; }

 private:
  /// The sensor's column in `taken`; `kMostSensors` if all are in use.
  std::size_t column_of(const std::string& name, const Sample& taken);
  bool is_blank(std::size_t column) const;

  std::deque<Sample> samples_;
  std::vector<std::string> names_;
  std::size_t left_out_ = 0;
  std::deque<Cut> cuts_;
  std::uint64_t forgotten_ = 0;
};

}  // namespace sluice
