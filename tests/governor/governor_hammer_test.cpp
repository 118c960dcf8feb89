#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "live_fakes.h"

namespace sluice {
namespace {

using fakes::costing;

/// Permits on their way from the thread that received them to the one that returns them.
class Bag {
 public:
  void put(Permit permit) {
    const std::lock_guard lock(mutex_);
    ++put_;
    permits_.push_back(std::move(permit));
  }

  /// The total ever put in.
  int put_so_far() const { return put_; }

  Permit take() {
    const std::lock_guard lock(mutex_);
    if (permits_.empty()) return {};
    Permit permit = std::move(permits_.back());
    permits_.pop_back();
    return permit;
  }

 private:
  std::mutex mutex_;
  std::vector<Permit> permits_;
  std::atomic<int> put_{0};
};

class Hammer : public ::testing::Test {
 protected:
  static constexpr int kWorkers = 4;
  static constexpr int kRounds = 3000;
  static constexpr int kAdmitted = 1000;

  GovernorOptions options(std::int64_t size) const {
    GovernorOptions options = fakes::window_of(size, 60);
    options.window.minimum = Points{10};
    options.window.interval = std::chrono::milliseconds(1);
    options.window.dwell = std::chrono::milliseconds(1);
    options.starting_most = 8;
    options.starting_floor = 2;
    options.max_pending = 40;
    return options;
  }

  std::vector<Sensor> sensors() const { return {load_.sensor("load"), disk_.sensor("disk")}; }

  void end(JobId id, Admission admission) {
    {
      const std::lock_guard lock(ends_mutex_);
      ++ends_[id];
    }
    if (auto* permit = std::get_if<Permit>(&admission)) bag_.put(std::move(*permit));
    ended_.add(id);
  }

  void work(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    JobId last;
    const TimePoint deadline = Clock::now() + fakes::kDeadline;
    for (int i = 0; i < kRounds || (bag_.put_so_far() < kAdmitted && Clock::now() < deadline);
         ++i) {
      JobRequest job =
          costing(static_cast<std::int64_t>(random() % 20 + 1), static_cast<int>(random() % 3));
      job.reports_started = random() % 2 != 0;
      job.key = "job of round " + std::to_string(i % 7);
      switch (random() % 5) {
        case 0: {
          Admission admission = governor_->try_admit(job);
          if (auto* permit = std::get_if<Permit>(&admission)) bag_.put(std::move(*permit));
          break;
        }
        case 1: {
          const auto result = governor_->submit(
              job, [this](JobId id, Admission admission) { end(id, std::move(admission)); });
          if (const auto* id = std::get_if<Queued>(&result)) {
            ++queued_;
            last = id->id;
          }
          break;
        }
        case 2:
          governor_->cancel(last);
          break;
        default: {
          Permit permit = bag_.take();
          permit.started();
          permit.release(static_cast<Outcome>(random() % 4));
        }
      }
    }
  }

  void disturb(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    while (!over_) {
      switch (random() % 6) {
        case 0:
          governor_->reload(options(static_cast<std::int64_t>(random() % 50 + 10)), sensors(),
                            fakes::flat(3));
          break;
        case 1:
          governor_->pause();
          governor_->resume();
          break;
        case 2:
          load_.show(random() % 10 == 0 ? 1.5 : 0.1);
          break;
        case 3:
          governor_->drain();
          governor_->resume();
          break;
        default:
          governor_->status();
          governor_->jobs();
          governor_->job(JobId{random() % 100});
      }
    }
  }

  fakes::Dial load_, disk_;
  Bag bag_;
  std::mutex ends_mutex_;
  std::map<JobId, int> ends_;
  fakes::Journal<JobId> ended_;
  std::atomic<std::uint64_t> queued_{0};
  std::atomic<bool> over_{false};
  std::optional<Governor> governor_;
};

TEST_F(Hammer, EveryWaitEndsOnceAndEveryPointComesBack) {
  const auto source = std::make_shared<fakes::RecordingSource>();
  fakes::Journal<bool> accepting;
  GovernorEvents events;
  events.on_accepting = [&](bool takes, const std::string&) { accepting.add(takes); };
  governor_.emplace(options(30), sensors(), fakes::flat(3), events,
                    std::vector<std::shared_ptr<WorkSource>>{source});

  std::vector<std::thread> workers;
  for (std::uint64_t i = 0; i < kWorkers; ++i) workers.emplace_back([this, i] { work(i + 1); });
  std::thread disturber([this] { disturb(77); });
  for (std::thread& worker : workers) worker.join();
  over_ = true;
  disturber.join();

  load_.show(0.1);
  governor_->resume();
  auto idle = std::async(std::launch::async, [this] { governor_->wait_until_idle(); });
  while (idle.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    if (!bag_.take()) std::this_thread::yield();
  }
  ASSERT_TRUE(ended_.wait_for_count(queued_));

  const Status status = governor_->status();
  const Counters& counters = status.counters;
  const auto finished =
      std::accumulate(counters.finished.begin(), counters.finished.end(), std::uint64_t{0});
  EXPECT_EQ(status.usage, Points{0});
  EXPECT_EQ(status.running, 0u);
  EXPECT_EQ(status.starting, 0u);
  EXPECT_EQ(status.pending, 0u);
  EXPECT_EQ(status.pending_cost, Points{0});
  EXPECT_EQ(counters.submitted, counters.admitted + counters.cancelled);
  EXPECT_EQ(counters.admitted, finished);
  EXPECT_GE(counters.admitted, static_cast<std::uint64_t>(kAdmitted));
  EXPECT_EQ(ends_.size(), queued_);
  for (const auto& [id, times] : ends_) EXPECT_EQ(times, 1) << "job " << id.value;

  governor_.reset();
  const auto calls = source->calls.take();
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i].registered, i % 2 == 0);
  const auto told = accepting.take();
  for (std::size_t i = 1; i < told.size(); ++i) EXPECT_NE(told[i], told[i - 1]);
  EXPECT_FALSE(told.back());
}

TEST_F(Hammer, GovernorMayEndWhileOthersReturnPermits) {
  for (int round = 0; round < 50; ++round) {
    governor_.emplace(options(60), sensors(), fakes::flat(3));
    std::vector<Permit> permits;
    for (int i = 0; i < 20; ++i) {
      permits.push_back(fakes::permit_of(governor_->try_admit(costing(2))));
    }
    std::thread returner([&] {
      for (Permit& permit : permits) permit.release();
    });
    governor_.reset();
    returner.join();
  }
}

}  // namespace
}  // namespace sluice
