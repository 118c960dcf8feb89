// The calls of a governor with its threads, recorded in a folder and replayed.
#include "cli/record/exact.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "live_fakes.h"
#include "record/recorder.h"
#include "record_folder.h"

namespace sluice::record::testing {
namespace {

using cli::ExactReplay;
using fakes::costing;

class RecordedGovernor : public ::testing::Test {
 protected:
  std::unique_ptr<Recorder> recorder(std::size_t room) const {
    RecorderOptions options;
    options.folder = path_;
    options.start = {"test", "boot"};
    options.room = room;
    options.blocks = Blocks::linked;
    return std::make_unique<Recorder>(options, nullptr);
  }

  static GovernorEvents recording(Recorder& recorder) {
    GovernorEvents events;
    events.on_call = [&recorder](TimePoint at, std::string_view call) {
      recorder.record(at, GovernorCall{std::string(call)});
    };
    return events;
  }

  static GovernorOptions options(std::int64_t size) {
    GovernorOptions options = fakes::window_of(size, 60);
    options.window.minimum = Points{10};
    options.window.interval = std::chrono::milliseconds(1);
    options.window.dwell = std::chrono::milliseconds(1);
    return options;
  }

  ExactReplay replayed() const {
    return cli::replay_calls(std::get<RecordFolder>(RecordFolder::open_to_read(path_)));
  }

  Folder folder_;
  const std::string path_ = folder_.path("calls");
};

/// Answers otherwise each time.
CostModel restless() {
  return [asked = std::make_shared<std::atomic<int>>(0)](const JobRequest&) {
    return Prediction(Points{++*asked % 7 + 1});
  };
}

TEST_F(RecordedGovernor, IsReplayedExactlyAfterConcurrentLoadWithReloads) {
  constexpr int kThreads = 4, kRounds = 2000;
  const auto recorder = this->recorder(std::size_t{1} << 26);
  fakes::Dial load;
  {
    Governor governor(options(30), {load.sensor("load")}, restless(), recording(*recorder));
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number) {
      threads.emplace_back([&, number] {
        for (int round = 0; round < kRounds; ++round) {
          JobRequest job;
          job.key = "key " + std::to_string(round % 9);
          job.priority = round % 3;
          if (round % 2 == number % 2) {
            Admission admission = governor.try_admit(job);
            if (auto* permit = std::get_if<Permit>(&admission)) permit->release(Outcome::ok);
          } else {
            governor.submit(std::move(job), [](JobId, Admission) {});
          }
          if (round % 500 == 0)
            governor.reload(options(20 + round / 100), {load.sensor("load")}, restless());
          load.show(round % 50 == 0 ? 1.5 : 0.1);
          governor.status();
        }
      });
    }
    for (std::thread& each : threads) each.join();
    load.show(0.1);
    governor.wait_until_idle();
  }
  recorder->flush(clocks_now());
  EXPECT_EQ(recorder->recording().lost, 0U);
  const ExactReplay replay = replayed();
  EXPECT_TRUE(replay.differences.empty()) << replay.differences.front().what;
  EXPECT_TRUE(replay.missing.empty()) << replay.missing.front().why;
  EXPECT_GT(replay.totals.calls, static_cast<std::uint64_t>(kThreads * kRounds));
  EXPECT_GT(replay.totals.started, 1000U);
}

TEST_F(RecordedGovernor, AnOverrunIsNamedAndTheNextGovernorIsReplayed) {
  const auto recorder = this->recorder(4096);
  const auto run = [&](int jobs, int flush_at) {
    Governor governor(fakes::fixed_window(10), {}, fakes::flat(5), recording(*recorder));
    for (int job = 0; job < jobs; ++job) {
      governor.submit(costing(5), [](JobId, Admission) {});
      if (job < flush_at) recorder->flush(clocks_now());
    }
    recorder->flush(clocks_now());
    governor.wait_until_idle();
    recorder->flush(clocks_now());
  };
  run(400, 10);
  EXPECT_GT(recorder->recording().lost, 0U);
  run(5, 5);
  const ExactReplay replay = replayed();
  EXPECT_TRUE(replay.differences.empty()) << replay.differences.front().what;
  ASSERT_EQ(replay.missing.size(), 1U);
  EXPECT_EQ(replay.missing[0].why, "overrun");
  EXPECT_LT(replay.missing[0].from, replay.missing[0].to);
  EXPECT_GE(replay.totals.started, 5U);
  const std::string text = exact_text(replay);
  EXPECT_NE(text.find("exact but for\n"), std::string::npos) << text;
  EXPECT_NE(text.find(": overrun\n"), std::string::npos) << text;
}

TEST(ExactReplay, CountsJobsThatPassesStartedOnlyIfThereAreAny) {
  cli::ExactReplay replay;
  replay.totals = {12, 2, 0, 1};
  EXPECT_EQ(cli::exact_text(replay), "12 calls, 2 passes, 1 window changes: exact\n");
  replay.totals.started = 1;
  EXPECT_EQ(cli::exact_text(replay),
            "12 calls, 2 passes that started 1 waiting job, 1 window changes: exact\n");
}

}  // namespace
}  // namespace sluice::record::testing
