// The cost of admission to its caller. The goals, uncontended on one thread: 100 ns for an
// admission and its release, 25 ns for a refusal.

#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "costmodel/formula.h"
#include "sluice/governor.h"

namespace sluice {
namespace {

constexpr std::size_t kKinds = 8;  // A power of two, so choosing one costs nothing.

/// Jobs of several weights; those with even numbers leave their cost to the formula.
std::array<JobRequest, kKinds> make_jobs() {
  std::array<JobRequest, kKinds> jobs;
  for (std::size_t i = 0; i < kKinds; ++i) {
    jobs[i].key = "compile:src/module_" + std::to_string(i) + "/main.cpp";
    jobs[i].inventory = static_cast<int>(i);
    if (i % 2 != 0) jobs[i].cost = Points{static_cast<std::int64_t>(5 + i)};
  }
  return jobs;
}

GovernorOptions make_options(std::int64_t size) {
  GovernorOptions options;
  options.window.initial = options.window.minimum = options.window.maximum = Points{size};
  options.window.interval = std::chrono::seconds(1);
  return options;
}

Sensor make_sensor(double pressure) {
  Sensor sensor{"load", {}, nullptr};
  sensor.measure = [pressure](TimePoint now) {
    Reading reading;
    reading.conditions.push_back({"load", pressure, 1.0, std::nullopt, Unit::tasks, pressure});
    return Measurement{now, reading};
  };
  return sensor;
}

std::unique_ptr<Governor> make_governor(std::int64_t size, double pressure = 0) {
  return std::make_unique<Governor>(make_options(size), std::vector{make_sensor(pressure)},
                                    formula_model({}));
}

/// One governor for all threads of a benchmark.
class Shared : public benchmark::Fixture {
 public:
  void SetUp(const benchmark::State& state) override {
    if (state.thread_index() == 0) governor = make_governor(10'000);
  }
  void TearDown(const benchmark::State& state) override {
    if (state.thread_index() == 0) governor.reset();
  }

 protected:
  std::unique_ptr<Governor> governor;
  Permit all;  ///< Fills the window.
  const std::array<JobRequest, kKinds> jobs = make_jobs();
};

BENCHMARK_DEFINE_F(Shared, BM_try_admit_release)(benchmark::State& state) {
  std::size_t i = 0;
  for (auto _ : state) {
    Admission admission = governor->try_admit(jobs[i++ % kKinds]);
    std::get<Permit>(admission).release();
  }
}

/// Takes the unique_ptr by reference: only the loop waits until the first thread has set it.
void refuse_all(benchmark::State& state, const std::unique_ptr<Governor>& governor,
                RefusalCode expected) {
  const std::array<JobRequest, kKinds> jobs = make_jobs();
  std::size_t i = 0;
  for (auto _ : state) {
    const Admission admission = governor->try_admit(jobs[i++ % kKinds]);
    if (std::get<Refusal>(admission).code != expected) throw std::logic_error("refused otherwise");
  }
}

JobRequest filling(std::int64_t points) {
  JobRequest job;
  job.cost = Points{points};
  return job;
}

BENCHMARK_DEFINE_F(Shared, BM_refusal)(benchmark::State& state) {
  if (state.thread_index() == 0) all = std::get<Permit>(governor->try_admit(filling(10'000)));
  refuse_all(state, governor, RefusalCode::window);
  if (state.thread_index() == 0) all.release();
}

void BM_refusal_behind(benchmark::State& state) {
  const auto governor = make_governor(100);
  const Admission all = governor->try_admit(filling(100));
  const auto waiting = governor->submit(filling(50));
  refuse_all(state, governor, RefusalCode::behind);
}

void BM_refusal_sensor(benchmark::State& state) {
  const auto governor = make_governor(100, 2);
  refuse_all(state, governor, RefusalCode::sensor);
}

/// Each admission fills the window and each release opens it, which makes the admission thread
/// update its registration.
void BM_try_admit_release_at_the_edge(benchmark::State& state) {
  const auto governor = make_governor(100);
  const JobRequest job = filling(100);
  for (auto _ : state) {
    Admission admission = governor->try_admit(job);
    std::get<Permit>(admission).release();
  }
}

/// The hand-written alternative: a weighted semaphore.
class Semaphore {
 public:
  explicit Semaphore(std::int64_t size) : free_(size) {}

  bool try_acquire(std::int64_t cost) {
    const std::lock_guard lock(mutex_);
    if (free_ < cost) return false;
    free_ -= cost;
    return true;
  }

  void release(std::int64_t cost) {
    {
      const std::lock_guard lock(mutex_);
      free_ += cost;
    }
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  std::int64_t free_;
};

/// The lower bound: a bare counter without jobs, reasons, order or statistics.
class Counter {
 public:
  explicit Counter(std::int64_t size) : free_(size) {}

  bool try_acquire(std::int64_t cost) {
    std::int64_t free = free_.load(std::memory_order_relaxed);
    while (free >= cost) {
      if (free_.compare_exchange_weak(free, free - cost, std::memory_order_acquire)) return true;
    }
    return false;
  }

  void release(std::int64_t cost) { free_.fetch_add(cost, std::memory_order_release); }

 private:
  std::atomic<std::int64_t> free_;
};

template <typename Peer>
void BM_peer(benchmark::State& state) {
  static Peer peer(10'000);
  std::int64_t i = 0;
  for (auto _ : state) {
    const std::int64_t cost = 5 + i++ % 8;
    benchmark::DoNotOptimize(peer.try_acquire(cost));
    peer.release(cost);
  }
}

/// The C library elides locks while a process has one thread. Every governor has three, and a
/// program that uses an alternative has several too.
void with_repetitions(benchmark::internal::Benchmark* bench) {
  bench->Repetitions(5)->ReportAggregatesOnly(true);
}

BENCHMARK_REGISTER_F(Shared, BM_try_admit_release)->Apply(with_repetitions);
BENCHMARK_REGISTER_F(Shared, BM_try_admit_release)->Threads(2)->Apply(with_repetitions);
BENCHMARK_REGISTER_F(Shared, BM_refusal)->Apply(with_repetitions);
BENCHMARK_REGISTER_F(Shared, BM_refusal)->Threads(2)->Apply(with_repetitions);
BENCHMARK(BM_refusal_behind)->Apply(with_repetitions);
BENCHMARK(BM_refusal_sensor)->Apply(with_repetitions);
BENCHMARK(BM_try_admit_release_at_the_edge)->Apply(with_repetitions);
BENCHMARK_TEMPLATE(BM_peer, Semaphore)->Apply(with_repetitions);
BENCHMARK_TEMPLATE(BM_peer, Semaphore)->Threads(2)->Apply(with_repetitions);
BENCHMARK_TEMPLATE(BM_peer, Counter)->Apply(with_repetitions);
BENCHMARK_TEMPLATE(BM_peer, Counter)->Threads(2)->Apply(with_repetitions);

}  // namespace
}  // namespace sluice

BENCHMARK_MAIN();
