#include "cli/record/core_replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "recorded_history.h"
#include "repetitions.h"

namespace sluice::record::testing {
namespace {

using cli::CoreReplay;
using inputs::CoreCall;
using Step = CoreReplay::Step;

constexpr std::uint64_t kHistories = repetitions(600U);

/// The numbers and the fields in front of each call's arguments.
struct Head {
  std::uint64_t number = 0;
  CoreCall call = CoreCall::start;
  Duration passed{0};
};
Head head_of(inputs::Reader& reader) {
  Head head;
  reader(head.number, head.call, head.passed);
  return head;
}
CoreCall call_of(const std::string& bytes) {
  inputs::Reader::Names names;
  inputs::Reader reader(bytes, names);
  return head_of(reader).call;
}

/// The call with another request.
std::string with_request(const std::string& bytes, const std::function<void(JobRequest&)>& change) {
  inputs::Reader::Names names;
  inputs::Reader reader(bytes, names);
  const Head head = head_of(reader);
  auto job = reader.next<JobRequest>();
  change(job);
  std::string changed;
  inputs::Writer{changed}(head.number, head.call, head.passed, job);
  return changed + std::string(reader.rest());
}

bool admits_at_once(const std::string& bytes) {
  inputs::Reader::Names names;
  inputs::Reader reader(bytes, names);
  if (head_of(reader).call != CoreCall::try_admit) return false;
  reader.next<JobRequest>();
  inputs::RecordedAnswers answers;
  answers.begin_call(reader);
  constexpr std::uint64_t kAdmitted = 0;  // In the variant.
  return reader.next<std::uint64_t>() == kAdmitted;
}

TEST(CoreReplay, RepeatsRandomHistoriesToTheLastByte) {
  CoreReplay replay;
  std::set<CoreCall> seen;
  for (std::uint64_t seed = 1; seed <= kHistories; ++seed) {
    RecordedHistory history(seed, seed % 2 == 0 ? Beginnings::everywhere : Beginnings::start);
    for (const std::string& call : history.play()) {
      ASSERT_EQ(replay.apply(call), Step::same) << "seed " << seed << ": " << replay.difference();
      seen.insert(call_of(call));
    }
  }
  const CoreReplay::Totals& totals = replay.totals();
  EXPECT_GT(totals.passes, repetitions(3000U));
  EXPECT_GT(totals.started, repetitions(1000U));
  EXPECT_GT(totals.window_changes, repetitions(300U));
  // All but `restore` and `stop`.
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(CoreCall::start_over) - 2);
}

TEST(CoreReplay, ReportsAHistoryInWhichOneInputIsAnother) {
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= repetitions(200U); ++seed) {
    RecordedHistory history(seed);
    std::vector<std::string> calls = history.play();
    const auto admitted = std::ranges::find_if(calls, admits_at_once);
    if (admitted == calls.end()) continue;
    ++changed;
    *admitted = with_request(*admitted, [](JobRequest& job) { job.cost = Points{1'000'000}; });
    CoreReplay replay;
    for (auto call = calls.begin(); call != admitted; ++call) {
      ASSERT_EQ(replay.apply(*call), Step::same);
    }
    ASSERT_EQ(replay.apply(*admitted), Step::different) << "seed " << seed;
  }
  EXPECT_GT(changed, repetitions(100U));
}

TEST(CoreReplay, SaysWhichJobsAPassStartedInstead) {
  std::vector<std::string> calls;
  inputs::InputLog log([&](TimePoint, std::string_view call) { calls.emplace_back(call); });
  RecordedCore core(&log, fakes::fixed_window(10), fakes::flat(5), {}, fakes::at(0));
  core.submit(fakes::costing(10), fakes::at(1));
  core.submit(fakes::costing(10), fakes::at(2));
  core.pass(fakes::at(3));
  calls[1] = with_request(calls[1], [](JobRequest& job) { job.priority = -1; });
  CoreReplay replay;
  for (std::size_t at = 0; at < 3; ++at) ASSERT_EQ(replay.apply(calls[at]), Step::same);
  ASSERT_EQ(replay.apply(calls[3]), Step::different);
  EXPECT_EQ(replay.difference(), "pass: the record starts jobs 1, the replay starts jobs 2");
}

TEST(CoreReplay, SkipsCallsAfterOneThatIsMissingUntilACoreBegins) {
  RecordedHistory history(1);
  const std::vector<std::string>& calls = history.play();
  ASSERT_GT(calls.size(), 20U);
  CoreReplay replay;
  for (std::size_t at = 0; at < 10; ++at) ASSERT_EQ(replay.apply(calls[at]), Step::same);
  for (std::size_t at = 11; at < 20; ++at) EXPECT_EQ(replay.apply(calls[at]), Step::skipped);
  for (std::size_t at = 0; at < 20; ++at) EXPECT_EQ(replay.apply(calls[at]), Step::same);
}

TEST(CoreReplay, BeginsAlsoWhereJobsRunAndWait) {
  std::size_t beginnings = 0;
  for (std::uint64_t seed = 1; seed <= repetitions(100U); ++seed) {
    RecordedHistory history(seed, Beginnings::everywhere);
    const std::vector<std::string>& calls = history.play();
    for (auto begin = calls.begin(); begin != calls.end(); ++begin) {
      if (call_of(*begin) != CoreCall::start_over) continue;
      ++beginnings;
      CoreReplay replay;
      for (auto call = begin; call != calls.end(); ++call) {
        ASSERT_EQ(replay.apply(*call), Step::same) << "seed " << seed << replay.difference();
      }
    }
  }
  EXPECT_GT(beginnings, repetitions(500U));
}

TEST(CoreReplay, ACoreThatStartsOverDecidesAsOneThatGoesOn) {
  for (std::uint64_t seed = 1; seed <= kHistories; ++seed) {
    RecordedHistory goes_on(seed, Beginnings::start), starts_over(seed, Beginnings::everywhere);
    goes_on.play();
    starts_over.play();
    ASSERT_EQ(goes_on.decisions(), starts_over.decisions()) << "seed " << seed;
  }
}

/// A core with a beginning after its first two calls.
std::vector<std::string> calls_with_a_beginning() {
  std::vector<std::string> calls;
  inputs::InputLog log([&](TimePoint, std::string_view call) { calls.emplace_back(call); }, 0);
  RecordedCore core(&log, fakes::fixed_window(10), fakes::flat(5), {}, fakes::at(0));
  core.operate(Switch::paused);
  core.start_over_if_due(fakes::at(1));
  core.submit(fakes::costing(10), fakes::at(2));
  core.pass(fakes::at(3));
  return calls;
}

TEST(CoreReplay, GoesOnAtABeginningAfterCallsThatAreMissing) {
  std::vector<std::string> calls = calls_with_a_beginning();
  calls.erase(calls.begin() + 1);
  CoreReplay replay;
  EXPECT_EQ(replay.apply(calls[0]), Step::same);
  EXPECT_EQ(replay.apply(calls[1]), Step::same);
  EXPECT_TRUE(replay.is_at_begin()) << "one call is missing before it";
  EXPECT_EQ(replay.apply(calls[2]), Step::same);
  EXPECT_EQ(replay.apply(calls[3]), Step::same);
}

TEST(CoreReplay, ComparesTheStateAtABeginningWithItsOwn) {
  std::vector<std::string> calls = calls_with_a_beginning();
  CoreReplay whole;
  for (const std::string& each : calls) EXPECT_EQ(whole.apply(each), Step::same);
  EXPECT_FALSE(whole.is_at_begin());
  // The switch of the second call.
  ASSERT_EQ(calls[1].size(), calls_with_a_beginning()[1].size());
  for (char& byte : calls[1]) {
    if (byte == static_cast<char>(Switch::paused)) byte = static_cast<char>(Switch::running);
  }
  CoreReplay other;
  EXPECT_EQ(other.apply(calls[0]), Step::same);
  other.apply(calls[1]);
  EXPECT_EQ(other.apply(calls[2]), Step::different) << "the record was paused there";
}

TEST(CoreReplay, ACallThatIsCutAnywhereIsReported) {
  RecordedHistory history(2);
  const std::vector<std::string> calls = history.play();
  for (std::size_t size = 0; size < calls[0].size(); ++size) {
    CoreReplay replay;
    EXPECT_NE(replay.apply(std::string_view(calls[0]).substr(0, size)), Step::same) << size;
  }
  for (std::size_t cut = 1; cut < calls.size(); ++cut) {
    CoreReplay replay;
    for (std::size_t at = 0; at < cut; ++at) ASSERT_EQ(replay.apply(calls[at]), Step::same);
    EXPECT_NE(replay.apply(std::string_view(calls[cut]).substr(0, calls[cut].size() / 2)),
              Step::same);
  }
}

TEST(CoreReplay, AnAnswerIsRecordedOnceUntilItChanges) {
  std::vector<std::string> calls;
  inputs::InputLog log([&](TimePoint, std::string_view call) { calls.emplace_back(call); });
  auto cost = std::make_shared<int>(5);
  const CostModel model = [cost](const JobRequest&) { return Prediction(Points{*cost}); };
  RecordedCore core(&log, fakes::fixed_window(10), model, {}, fakes::at(0));
  JobRequest job;
  job.key = "build";
  for (int second = 1; second < 4; ++second) core.submit(job, fakes::at(second));
  *cost = 6;
  core.submit(job, fakes::at(4));
  EXPECT_GT(calls[1].size(), calls[2].size() + 20);
  EXPECT_EQ(calls[2].size(), calls[3].size());
  EXPECT_GT(calls[4].size(), calls[3].size() + 20);
  CoreReplay replay;
  for (const std::string& each : calls) EXPECT_EQ(replay.apply(each), Step::same);
}

TEST(CoreReplay, RepeatsTheReturnOfJobsAfterARestart) {
  std::vector<std::string> calls;
  inputs::InputLog log([&](TimePoint, std::string_view call) { calls.emplace_back(call); });
  RecordedCore core(&log, fakes::fixed_window(10), fakes::flat(5), {}, fakes::at(0));
  GovernorSnapshot snapshot;
  snapshot.last = JobId{9};
  snapshot.jobs.resize(2);
  for (JobSnapshot& job : snapshot.jobs) {
    job.request = fakes::costing(6);
    job.cost = Points{6};
    job.arrived = fakes::at(-9);
  }
  snapshot.jobs[0].id = JobId{4};
  snapshot.jobs[0].admitted = fakes::at(-5);
  snapshot.jobs[1].id = JobId{8};
  core.restore(snapshot, fakes::at(1));
  EXPECT_TRUE(core.pass(fakes::at(2)).empty());
  core.finish(0, Outcome::ok, fakes::at(3));
  EXPECT_EQ(core.pass(fakes::at(4)).size(), 1U);
  CoreReplay replay;
  for (const std::string& each : calls) EXPECT_EQ(replay.apply(each), Step::same);
  EXPECT_EQ(replay.totals().started, 1U);
}

}  // namespace
}  // namespace sluice::record::testing
