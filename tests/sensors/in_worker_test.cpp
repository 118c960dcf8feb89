#include "sluice/in_worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "host_trees.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Blocks the worker. Shared with the worker, which may outlive the test.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  bool someone_waits() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(10), [this] { return waiting_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int waiting_ = 0;
};

Measurement good(TimePoint now, double value) {
  Reading reading;
  reading.conditions.push_back({"value", value, 1, {}, Unit::count, 0});
  return {now, reading};
}

double value_of(const Measurement& measurement) {
  return std::get<Reading>(measurement.result).conditions[0].value;
}

Sensor sensor_of(std::function<Measurement(TimePoint)> measure) {
  return {"x", {}, std::move(measure)};
}

template <class Condition>
bool soon(Condition condition) {
  const TimePoint deadline = Clock::now() + seconds(10);
  while (!condition() && Clock::now() < deadline) std::this_thread::yield();
  return condition();
}

TEST(InWorker, KeepsNameAndPolicyAndGivesTheFirstReadingAtOnce) {
  Sensor inner = sensor_of([](TimePoint now) { return good(now, 7); });
  inner.policy.acts = Acts::congestion;
  const Sensor sensor = in_worker(std::move(inner), hours(1), [] { return at_seconds(5); });
  EXPECT_EQ(sensor.name, "x");
  EXPECT_EQ(sensor.policy.acts, Acts::congestion);
  const Measurement measurement = sensor.measure(at_seconds(9));
  EXPECT_EQ(value_of(measurement), 7);
  EXPECT_EQ(measurement.taken, at_seconds(5));
}

TEST(InWorker, ATimeBetweenMeasurementsThatWouldKeepACoreBusyIsRefused) {
  const auto begin = [](Duration every) {
    return in_worker(sensor_of([](TimePoint now) { return good(now, 1); }), every);
  };
  for (const Duration every :
       {Duration{0}, Duration{1}, hours(24) + Duration{1}, Duration::max()}) {
    EXPECT_THROW(begin(every), std::invalid_argument) << every.count();
  }
  EXPECT_NO_THROW(begin(hours(24)));
}

TEST(InWorker, MeasuresAgainAndAgain) {
  auto count = std::make_shared<std::atomic<int>>(0);
  const Sensor sensor =
      in_worker(sensor_of([count](TimePoint now) { return good(now, ++*count); }), milliseconds(1));
  EXPECT_TRUE(soon([&] { return value_of(sensor.measure(Clock::now())) >= 5; }));
}

TEST(InWorker, AHungFirstMeasurementCostsAtMostTheFirstWaitAndIsAFailure) {
  auto gate = std::make_shared<Gate>();
  const Sensor sensor = in_worker(sensor_of([gate](TimePoint now) {
                                    gate->pass();
                                    return good(now, 1);
                                  }),
                                  hours(1));
  const TimePoint began = Clock::now();
  const Measurement first = sensor.measure(at_seconds(1));
  EXPECT_LT(Clock::now() - began, seconds(5));
  EXPECT_EQ(std::get<ReadFailure>(first.result).what, "no reading yet");
  const Measurement again = sensor.measure(at_seconds(2));
  EXPECT_EQ(again.taken, first.taken) << "the same attempt must not look like a second failure";
  const TimePoint later = Clock::now();
  for (int i = 0; i < 1000; ++i) sensor.measure(at_seconds(3));
  EXPECT_LT(Clock::now() - later, seconds(1)) << "only the first call may wait";
  gate->open();
  EXPECT_TRUE(
      soon([&] { return std::holds_alternative<Reading>(sensor.measure(Clock::now()).result); }));
}

TEST(InWorker, AHungMeasurementLeavesTheLastOneWithTheTimeWhenItWasTaken) {
  auto gate = std::make_shared<Gate>();
  auto calls = std::make_shared<std::atomic<int>>(0);
  auto clock = std::make_shared<std::atomic<int>>(100);
  const Sensor sensor = in_worker(sensor_of([=](TimePoint now) {
                                    if (++*calls > 1) gate->pass();
                                    return good(now, *calls);
                                  }),
                                  milliseconds(1), [clock] { return at_seconds((*clock)++); });
  ASSERT_TRUE(gate->someone_waits());
  for (int i = 0; i < 3; ++i) {
    const Measurement measurement = sensor.measure(at_seconds(1000 + i));
    EXPECT_EQ(value_of(measurement), 1);
    EXPECT_EQ(measurement.taken, at_seconds(100));
  }
  gate->open();
  EXPECT_TRUE(soon([&] { return sensor.measure(at_seconds(2000)).taken > at_seconds(100); }));
}

TEST(InWorker, DestructionNeverWaitsForAHungMeasurement) {
  auto gate = std::make_shared<Gate>();
  auto finished = std::make_shared<std::atomic<bool>>(false);
  {
    const Sensor sensor = in_worker(sensor_of([=](TimePoint now) {
                                      gate->pass();
                                      *finished = true;
                                      return good(now, 1);
                                    }),
                                    hours(1));
    ASSERT_TRUE(gate->someone_waits());
  }
  EXPECT_FALSE(*finished);
  gate->open();
  EXPECT_TRUE(soon([&] { return finished->load(); }));
  EXPECT_TRUE(soon([&] { return gate.use_count() == 1; })) << "the thread must end by itself";
}

TEST(InWorker, AnIdleWorkerIsStoppedAtOnceByTheLastCopy) {
  auto held = std::make_shared<int>(0);
  const TimePoint began = Clock::now();
  {
    Sensor sensor = in_worker(sensor_of([held](TimePoint now) { return good(now, 1); }), hours(1));
    sensor.measure(Clock::now());
    Sensor copy = sensor;
    sensor = Sensor{};
    EXPECT_EQ(value_of(copy.measure(Clock::now())), 1);
  }
  EXPECT_TRUE(soon([&] { return held.use_count() == 1; }));
  EXPECT_LT(Clock::now() - began, seconds(10));
}

TEST(InWorker, AnExceptionIsAFailedMeasurementAndTheNextOneIsTried) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  const Sensor sensor = in_worker(sensor_of([calls](TimePoint now) -> Measurement {
                                    if (++*calls == 1) throw std::runtime_error("boom");
                                    if (*calls == 2) throw 42;
                                    return good(now, *calls);
                                  }),
                                  milliseconds(20));
  const Measurement first = sensor.measure(Clock::now());
  const auto* failure = std::get_if<ReadFailure>(&first.result);
  EXPECT_TRUE(!failure || failure->what.find("boom") != std::string::npos);
  EXPECT_TRUE(
      soon([&] { return std::holds_alternative<Reading>(sensor.measure(Clock::now()).result); }));
}

}  // namespace
}  // namespace sluice
