#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "governor/core.h"
#include "sluice/governor.h"

namespace sluice::fakes {

/// How long a test waits for what must happen; only a broken governor ever lets it pass.
inline constexpr std::chrono::seconds kDeadline{30};

/// That many seconds of virtual time.
inline TimePoint at(double seconds) {
  return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

inline JobRequest costing(std::int64_t points, int priority = 0) {
  JobRequest job;
  job.cost = Points{points};
  job.priority = priority;
  return job;
}

inline JobRequest reporting_start(std::int64_t points) {
  JobRequest job = costing(points);
  job.reports_started = true;
  return job;
}

/// Opens at `size`; jobs of up to `maximum` may be submitted. The starting gate is out of the way.
inline GovernorOptions window_of(std::int64_t size, std::int64_t maximum) {
  GovernorOptions options;
  options.window.law = Law::rfc;
  options.window.initial = Points{size};
  options.window.minimum = Points{1};
  options.window.maximum = Points{maximum};
  options.window.threshold = Points{maximum};
  options.window.interval = std::chrono::milliseconds(2);
  options.starting_most = 1'000'000;
  return options;
}

/// A window that no look can move.
inline GovernorOptions fixed_window(std::int64_t size) {
  GovernorOptions options = window_of(size, size);
  options.window.minimum = Points{size};
  return options;
}

inline CostModel flat(std::int64_t points) {
  return [points](const JobRequest&) { return Points{points}; };
}

inline Reading reading(double pressure) {
  Reading reading;
  reading.conditions.push_back({"value", pressure, 1.0, std::nullopt, Unit::ratio, pressure});
  reading.sentence = "dialled";
  return reading;
}

inline Measurement measured(TimePoint when, double pressure) { return {when, reading(pressure)}; }
inline Measurement failed(TimePoint when, std::string what = "unreadable") {
  return {when, ReadFailure{std::move(what)}};
}

inline Core core_of(GovernorOptions options, std::vector<KnownSensor> sensors = {}) {
  return Core(std::move(options), flat(5), std::move(sensors), at(0));
}

inline KnownSensor known(std::string_view name, SensorPolicy policy = {}) {
  return {name, policy, Judgement{}, Duration{0}};
}

/// Shows the core one reading of each sensor, taken now.
inline void show(Core& core, const std::vector<double>& pressures, TimePoint now) {
  std::vector<Core::Sweep> sweep;
  for (const double pressure : pressures) sweep.push_back({measured(now, pressure), Duration{0}});
  core.observe(sweep, now);
}

/// What many threads report, in order.
template <typename Entry>
class Journal {
 public:
  void add(Entry entry) {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
    changed_.notify_all();
  }

  /// Waits until `holds(entries)`; false if it did not within the deadline.
  template <typename Holds>
  bool wait_until(Holds holds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kDeadline, [&] { return holds(entries_); });
  }

  bool wait_for_count(std::size_t count) {
    return wait_until([count](const auto& entries) { return entries.size() >= count; });
  }

  std::vector<Entry> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(entries_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
};

/// A sensor that reads whatever a test dials.
class Dial {
 public:
  Sensor sensor(std::string name, SensorPolicy policy = {}) const {
    return {std::move(name), policy, [state = state_](TimePoint now) { return state->read(now); }};
  }

  void show(double pressure) { state_->pressure = pressure; }
  void throw_from_now_on() { state_->throws = true; }

  /// Waits for this many further reads that began after the call.
  bool wait_reads(int count) {
    std::unique_lock lock(state_->mutex);
    const int enough = state_->reads + count + 1;
    return state_->read_once_more.wait_for(lock, kDeadline,
                                           [&] { return state_->reads >= enough; });
  }

 private:
  struct State {
    std::atomic<double> pressure{0};
    std::atomic<bool> throws{false};
    std::mutex mutex;
    std::condition_variable read_once_more;
    int reads = 0;

    Measurement read(TimePoint now) {
      {
        const std::lock_guard lock(mutex);
        ++reads;
        read_once_more.notify_all();
      }
      if (throws) throw std::runtime_error("the dial is broken");
      return measured(now, pressure);
    }
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// A work source that writes down what it is told, and when.
class RecordingSource : public WorkSource {
 public:
  struct Call {
    bool registered = false;
    std::string reason;
    TimePoint when;
  };

  void register_for_work() override { calls.add({true, "", Clock::now()}); }
  void deregister(std::string_view reason) override {
    calls.add({false, std::string(reason), Clock::now()});
  }

  Journal<Call> calls;
};

/// The value of a future that must come.
template <typename Value>
Value arrived(std::future<Value>& future) {
  if (future.wait_for(kDeadline) != std::future_status::ready) {
    throw std::runtime_error("nothing came within the deadline");
  }
  return future.get();
}

inline Permit permit_of(Admission admission) {
  if (const auto* refusal = std::get_if<Refusal>(&admission)) {
    throw std::runtime_error("refused: " + to_sentence(*refusal));
  }
  return std::get<Permit>(std::move(admission));
}

/// The code of a refusal; throws where there is none.
template <typename Result>
RefusalCode code_of(const Result& result) {
  return std::get<Refusal>(result).code;
}

}  // namespace sluice::fakes
