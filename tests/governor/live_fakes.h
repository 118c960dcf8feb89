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
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "fakes.h"
#include "sluice/governor.h"

namespace sluice::fakes {

/// Timeout of a test for events that must happen; only a broken governor reaches it.
inline constexpr std::chrono::seconds kDeadline{30};

/// Reports from many threads, in order.
template <typename Entry>
class Journal {
 public:
  void add(Entry entry) {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
    changed_.notify_all();
  }

  /// Waits until `holds(entries)`. Returns false after `kDeadline`.
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

/// A sensor that reads the value set by a test.
class Dial {
 public:
  Sensor sensor(std::string name, SensorPolicy policy = {}) const {
    return {std::move(name), policy, [state = state_](TimePoint now) { return state->read(now); }};
  }

  void show(double pressure) { state_->pressure = pressure; }
  void throw_from_now_on() { state_->throws = true; }

  /// Waits for this many more reads that began after the call.
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

/// A work source that records its calls and their times.
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

/// The value of a future that must become ready.
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

/// One point, granted by the admission thread, which has then handled all earlier requests. While
/// the permit is held, that thread sleeps until something new wakes it.
inline Permit settled(Governor& governor) {
  auto result = governor.submit(costing(1, 1'000));
  return permit_of(arrived(std::get<Submitted>(result).admission));
}

/// Polls until the condition holds. Returns false after `kDeadline`.
template <typename Holds>
bool eventually(Holds holds) {
  const TimePoint deadline = Clock::now() + kDeadline;
  while (!holds()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace sluice::fakes
