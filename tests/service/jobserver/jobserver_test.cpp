// The jobserver with a real governor, real fifos, and this process as its client.
#include "service/jobserver/jobserver.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>

#include "costmodel/history.h"
#include "fixture.h"

namespace sluice::jobserver {
namespace {
using namespace sluice::testing;

constexpr std::uint64_t kFirst = 1, kSecond = 2;

CostModel ten_points() {
  return [](const JobRequest&) { return Prediction(Points{10}); };
}

/// A constant window, under the law that does not grow with usage.
GovernorOptions fixed_adaptive_window(std::int64_t size) {
  GovernorOptions options = fixed_window(size);
  options.window.law = Law::adaptive;
  return options;
}

/// A constant window under `law: knee`, on a machine with ten idle CPUs.
GovernorOptions fixed_knee_window(std::int64_t size) {
  GovernorOptions options = fixed_window(size);
  options.window.law = Law::knee;
  options.use_meter = [](TimePoint now) {
    UseCounters counters;
    counters.at = now;
    counters.cpus = 10;
    counters.levels = {{"host", Duration{0}, 10 * now.time_since_epoch()}};
    return counters;
  };
  return options;
}

/// A client that reads tokens without blocking, and puts them back.
class FakeClient {
 public:
  explicit FakeClient(const std::string& path)
      : fifo_(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)) {}
  ~FakeClient() { close(fifo_); }
  FakeClient(const FakeClient&) = delete;
  FakeClient& operator=(const FakeClient&) = delete;

  void take_all() {
    char byte = 0;
    while (read(fifo_, &byte, 1) == 1) ++held_;
  }
  void put(std::size_t tokens) {
    const std::string bytes(tokens, '+');
    ASSERT_EQ(write(fifo_, bytes.data(), tokens), static_cast<ssize_t>(tokens));
    held_ -= std::min(held_, tokens);
  }
  std::size_t held() const { return held_; }

 private:
  int fifo_;
  std::size_t held_ = 0;
};

class JobserverTest : public ::testing::Test {
 protected:
  /// Teaches enough runs of the clients' jobs to make the clients warm.
  void teach() {
    for (int run = 0; run < 3; ++run) teach_one();
  }
  void teach_one() {
    Sample sample;
    sample.key = "jobserver:build";
    sample.program = "make";
    sample.busy_cores = 1;
    sample.peak_memory = Bytes{1 << 20};
    sample.wall = std::chrono::seconds(1);
    history->learn(sample);
  }

  /// A client with the permit for the job that it may run without a token.
  std::unique_ptr<FakeClient> join(std::uint64_t id, std::size_t most = 100) {
    const Request request{"build", "make", most, {}, folder.path("")};
    auto admission = governor.try_admit(jobserver.slot_request(request));
    slots.push_back(std::move(std::get<Permit>(admission)));
    EXPECT_EQ(jobserver.open(id, request), std::nullopt);
    jobserver.begin(id, getpid(), [this](const JobUsage& usage) { slot = usage; });
    return std::make_unique<FakeClient>(view(id).path);
  }

  View view(std::uint64_t id) const { return *jobserver.view(id); }
  std::size_t granted(std::uint64_t id) const { return view(id).granted; }
  Points usage() const { return governor.status().usage; }

  bool work_until(const std::function<bool()>& condition) {
    const auto deadline = Clock::now() + kDeadline;
    while (!condition()) {
      if (Clock::now() > deadline) return false;
      pollfd ready{jobserver.descriptor(), POLLIN, 0};
      poll(&ready, 1, 100);
      jobserver.work();
    }
    return true;
  }
  void work(int times) {
    work_until([&] { return times-- == 0; });
  }

  TemporaryFolder folder;
  std::shared_ptr<History> history =
      std::make_shared<History>(CostOptions{}, ReservationOptions{}, nullptr);
  Governor governor{fixed_window(100), {}, ten_points()};
  std::vector<Permit> slots;
  JobUsage slot;  ///< As last reported of the job without a token.
  std::string said;
  Server jobserver{governor, history, [this](const std::string& line) { said += line + "\n"; }};
};

TEST_F(JobserverTest, AColdClientGetsNoTokenUntilSomethingIsKnownOfItsJobs) {
  const auto client = join(kFirst);
  work(20);
  EXPECT_EQ(granted(kFirst), 0u);
  teach_one();
  teach_one();
  work(20);
  EXPECT_FALSE(view(kFirst).warm);
  teach_one();
  EXPECT_TRUE(work_until([&] { return granted(kFirst) > 0; }));
}

TEST_F(JobserverTest, TokensAreWhatTheWindowHasLeftBesideTheJobWithoutOne) {
  teach();
  const auto client = join(kFirst);
  EXPECT_TRUE(work_until([&] {
    client->take_all();
    return client->held() == 9;
  }));
  work(10);
  EXPECT_EQ(granted(kFirst), 9u);
  EXPECT_EQ(view(kFirst).in_use(), 9u);
  EXPECT_EQ(usage(), Points{100});
}

TEST_F(JobserverTest, TokensCostWhatTheirJobsUse) {
  teach();
  governor.reload(fixed_knee_window(100), {}, ten_points());
  const auto client = join(kFirst);
  ASSERT_TRUE(work_until([&] {
    client->take_all();
    return client->held() == 9;
  }));
  EXPECT_TRUE(work_until([&] { return usage() <= Points{20}; })) << "nine jobs that only wait";
}

TEST_F(JobserverTest, UnderKneeAColdClientGetsWhatTheCpusHaveRoomFor) {
  governor.reload(fixed_knee_window(1000), {}, ten_points());
  const auto client = join(kFirst);
  EXPECT_TRUE(work_until([&] { return granted(kFirst) >= 11; }))
      << "12.5 cores' worth of jobs, each expected to need one";
}

TEST_F(JobserverTest, TheJobWithoutATokenReportsWhatItUses) {
  governor.reload(fixed_knee_window(100), {}, ten_points());
  const auto client = join(kFirst);
  EXPECT_TRUE(work_until([&] {
    const TimePoint until = Clock::now() + std::chrono::milliseconds(50);
    while (Clock::now() < until) continue;
    return slot.cpu > std::chrono::milliseconds(200);
  }));
  EXPECT_GE(slot.wall, std::chrono::milliseconds(200));
}

TEST_F(JobserverTest, UnderOtherLawsItReportsMemoryOnly) {
  governor.reload(fixed_adaptive_window(100), {}, ten_points());
  const auto client = join(kFirst);
  EXPECT_TRUE(work_until([&] { return slot.memory > Bytes{0}; }));
  EXPECT_EQ(slot.cpu, Duration{0});
  EXPECT_EQ(slot.wall, Duration{0});
}

TEST_F(JobserverTest, NeverMoreThanItsMost) {
  teach();
  const auto client = join(kFirst, 2);
  ASSERT_TRUE(work_until([&] {
    client->take_all();
    return client->held() == 2;
  }));
  work(10);
  EXPECT_EQ(granted(kFirst), 2u);
  EXPECT_EQ(usage(), Points{30});
}

TEST_F(JobserverTest, ATokenThatNobodyUsesGoesBack) {
  teach();
  const auto client = join(kFirst);
  ASSERT_TRUE(work_until([&] { return granted(kFirst) == 1; }));
  EXPECT_EQ(usage(), Points{20});
  EXPECT_TRUE(work_until([&] { return granted(kFirst) == 0; }));
  EXPECT_EQ(usage(), Points{10});
}

TEST_F(JobserverTest, ASmallerWindowIsADebtUntilTheTokensHaveComeBack) {
  teach();
  const auto client = join(kFirst);
  ASSERT_TRUE(work_until([&] {
    client->take_all();
    return client->held() == 9;
  }));
  governor.reload(fixed_window(40), {}, ten_points());
  ASSERT_TRUE(work_until([&] { return view(kFirst).debt == 6; }));
  EXPECT_EQ(granted(kFirst), 9u);
  for (std::size_t debt = 6; debt-- > 0;) {
    client->put(1);
    ASSERT_TRUE(work_until([&] { return view(kFirst).debt == debt; }));
    EXPECT_EQ(view(kFirst).idle, 0u);
  }
  EXPECT_EQ(granted(kFirst), 3u);
  EXPECT_EQ(usage(), Points{40});
  client->put(1);
  work(3);
  EXPECT_EQ(granted(kFirst), 3u);
}

TEST_F(JobserverTest, EveryPermitOfAClientThatIsGoneIsReturned) {
  teach();
  std::string path;
  {
    const auto client = join(kFirst);
    path = view(kFirst).path;
    ASSERT_TRUE(work_until([&] {
      client->take_all();
      return client->held() == 9;
    }));
    client->put(2);
  }
  const auto end = jobserver.close(kFirst, Outcome::ok);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->granted, 9u);
  EXPECT_EQ(end->lost, 7u);
  EXPECT_EQ(usage(), Points{10});
  EXPECT_EQ(jobserver.totals().lost, 7u);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(jobserver.close(kFirst, Outcome::ok));
}

TEST_F(JobserverTest, WhatAClientMakesUpIsRemoved) {
  teach();
  const auto client = join(kFirst, 2);
  ASSERT_TRUE(work_until([&] {
    client->take_all();
    return client->held() == 2;
  }));
  client->put(5);
  ASSERT_TRUE(work_until([&] { return !said.empty(); }));
  client->take_all();
  EXPECT_LE(client->held(), 2u);
  EXPECT_EQ(said, "make returned more tokens than it took; removed the surplus\n");
}

TEST_F(JobserverTest, TwoClientsComeToHoldAsMany) {
  teach();
  const auto first = join(kFirst);
  ASSERT_TRUE(work_until([&] {
    first->take_all();
    return first->held() == 9;
  }));
  first->put(1);  // Room for the second client's job.
  ASSERT_TRUE(work_until([&] { return granted(kFirst) == 8 || view(kFirst).idle == 1; }));
  governor.reload(fixed_window(110), {}, ten_points());
  const auto second = join(kSecond);
  EXPECT_TRUE(work_until([&] {
    second->take_all();
    if (view(kFirst).debt > 0 && first->held() > 0) first->put(1);  // One of its jobs has ended.
    return granted(kSecond) >= 4 && granted(kFirst) <= 5;
  })) << granted(kFirst)
      << " and " << granted(kSecond);
}

TEST_F(JobserverTest, WhoWaitsForTheWindowGetsHalfOfItAtMost) {
  teach();
  const auto client = join(kFirst);
  ASSERT_TRUE(work_until([&] {
    client->take_all();
    return client->held() == 9;
  }));
  JobRequest job;
  job.cost = Points{30};
  bool admitted = false;
  Permit permit;
  auto submitted = std::get<Submitted>(governor.submit(job));
  EXPECT_TRUE(work_until([&] {
    if (view(kFirst).debt > 0 && client->held() > 0) client->put(1);
    admitted = submitted.admission.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    return admitted;
  }));
  EXPECT_EQ(granted(kFirst), 6u);
}

TEST_F(JobserverTest, AClientNeverTakesTheRequestOfAnotherForItsOwn) {
  teach();
  GovernorOptions options = fixed_window(100);
  options.queueing.resources["solo"].kind = ResourceOptions::Kind::highlander;
  options.queueing.queues["default"].resources = {"solo"};
  governor.reload(std::move(options), {}, ten_points());
  const auto first = join(kFirst);
  ASSERT_TRUE(work_until([&] { return view(kFirst).asked == 1; }));
  ASSERT_EQ(jobserver.open(kSecond, {"build", "make", 100, {}, folder.path("")}), std::nullopt);
  jobserver.begin(kSecond, getpid(), [](const JobUsage&) {});
  work(10);
  EXPECT_EQ(view(kSecond).asked, 0u);
  jobserver.close(kSecond, Outcome::ok);
  EXPECT_EQ(governor.status().pending, 1u) << "it is the first one's";
  EXPECT_EQ(view(kFirst).asked, 1u);
}

TEST_F(JobserverTest, AClientFindsTokensBeforeItLooksForTheFirstTime) {
  teach();
  governor.reload(fixed_adaptive_window(100), {}, ten_points());
  const Request request{"build", "make", 3, {}, folder.path("")};
  slots.push_back(std::get<Permit>(governor.try_admit(jobserver.slot_request(request))));
  ASSERT_EQ(jobserver.open(kFirst, request), std::nullopt);
  EXPECT_EQ(view(kFirst).idle, 0u);
  jobserver.offer(kFirst);
  EXPECT_EQ(view(kFirst).idle, 3u);
  EXPECT_EQ(usage(), Points{40});
}

TEST_F(JobserverTest, AColdClientFindsNone) {
  governor.reload(fixed_adaptive_window(100), {}, ten_points());
  ASSERT_EQ(jobserver.open(kFirst, {"build", "make", 3, {}, folder.path("")}), std::nullopt);
  jobserver.offer(kFirst);
  EXPECT_EQ(view(kFirst).granted, 0u);
}

TEST_F(JobserverTest, WhatIsOfferedToAClientThatNeverWaitsLeavesHalfOfWhatIsFreeToOthers) {
  teach();
  governor.reload(fixed_adaptive_window(100), {}, ten_points());
  const auto client = join(kFirst);
  ASSERT_TRUE(work_until([&] { return view(kFirst).idle == 4; }));
  client->take_all();
  EXPECT_TRUE(work_until([&] { return view(kFirst).idle == 2; })) << "of the 50 that are left";
  EXPECT_EQ(usage(), Points{70});
}

TEST_F(JobserverTest, WhoNeedsTheRoomThatIdleTokensHoldGetsIt) {
  teach();
  governor.reload(fixed_adaptive_window(100), {}, ten_points());
  const auto client = join(kFirst);
  ASSERT_TRUE(work_until([&] { return view(kFirst).idle == 4; }));
  JobRequest job;
  job.cost = Points{90};
  auto submitted = std::get<Submitted>(governor.submit(job));
  EXPECT_TRUE(work_until([&] {
    return submitted.admission.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }));
  EXPECT_EQ(granted(kFirst), 0u);
}

TEST_F(JobserverTest, AnotherClientGetsWhatLiesIdle) {
  teach();
  governor.reload(fixed_adaptive_window(100), {}, ten_points());
  const auto lazy = join(kFirst);
  ASSERT_TRUE(work_until([&] { return view(kFirst).idle == 4; }));
  const auto eager = join(kSecond);
  EXPECT_TRUE(work_until([&] {
    eager->take_all();
    return eager->held() == 8;
  }));
  EXPECT_EQ(granted(kFirst), 0u);
}

}  // namespace
}  // namespace sluice::jobserver
