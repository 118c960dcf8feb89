#include "sluice/in_worker.h"

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/non_copyable.h"

namespace sluice {
namespace {

constexpr auto kFirstWait = std::chrono::milliseconds(50);

/// State shared by the worker and the sensor; the worker's reference outlives a sensor destroyed
/// during a hung measurement.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool stop = false;
  bool measuring = false;
  std::optional<Measurement> last;
};

using Measure = std::function<Measurement(TimePoint)>;

Measurement measure_safely(const Measure& measure, TimePoint now) {
  try {
    return measure(now);
  } catch (const std::exception& error) {
    return {now, ReadFailure{error.what()}};
  } catch (...) {
    return {now, ReadFailure{"failed with an exception without a message"}};
  }
}

void work(Shared& shared, const Measure& measure, Duration every,
          const std::function<TimePoint()>& now) {
  std::unique_lock lock(shared.mutex);
  while (!shared.stop) {
    shared.measuring = true;
    lock.unlock();
    Measurement measurement = measure_safely(measure, now());
    lock.lock();
    shared.measuring = false;
    shared.last = std::move(measurement);
    shared.changed.notify_all();
    shared.changed.wait_for(lock, every, [&shared] { return shared.stop; });
  }
}

class Worker : NonCopyable {
 public:
  Worker(Measure measure, Duration every, std::function<TimePoint()> now)
      : shared_(std::make_shared<Shared>()),
        thread_([shared = shared_, measure = std::move(measure), every, now = std::move(now)] {
          work(*shared, measure, every, now);
        }) {}

  ~Worker() {
    std::unique_lock lock(shared_->mutex);
    shared_->stop = true;
    shared_->changed.notify_all();
    const bool may_hang = shared_->measuring;
    lock.unlock();
    if (may_hang) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }

  Measurement last(TimePoint asked) {
    std::unique_lock lock(shared_->mutex);
    if (!first_asked_) {
      first_asked_ = asked;
      shared_->changed.wait_for(lock, kFirstWait, [this] { return shared_->last.has_value(); });
    }
    if (shared_->last) return *shared_->last;
    return {*first_asked_, ReadFailure{"no reading yet"}};
  }

 private:
  std::shared_ptr<Shared> shared_;
  /// Makes repeated calls return the same failure.
  std::optional<TimePoint> first_asked_;
  std::thread thread_;
};

}  // namespace

Sensor in_worker(Sensor inner, Duration every, std::function<TimePoint()> now) {
  if (every < std::chrono::milliseconds(1) || every > std::chrono::hours(24)) {
    throw std::invalid_argument("every must be from 1ms to 24h");
  }
  auto worker = std::make_shared<Worker>(std::move(inner.measure), every, std::move(now));
  inner.measure = [worker](TimePoint asked) { return worker->last(asked); };
  return inner;
}

}  // namespace sluice
