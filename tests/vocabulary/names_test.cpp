#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/job.h"
#include "sluice/refusal.h"
#include "sluice/sensor.h"
#include "sluice/status.h"

namespace sluice {
namespace {

template <typename Enum>
std::vector<std::string_view> names_of(int count) {
  std::vector<std::string_view> names;
  for (int i = 0; i < count; ++i) names.push_back(to_string(static_cast<Enum>(i)));
  return names;
}

using NameViews = std::vector<std::string_view>;

TEST(Names, AreThoseOfTheApiInTheOrderOfTheirEnum) {
  EXPECT_EQ(names_of<RefusalCode>(kRefusalCodes),
            (NameViews{"window", "sensor", "paused", "draining", "queue_paused", "frozen",
                       "resource", "contention", "memory", "dependency", "rule", "rate_limit",
                       "held_for", "behind", "impossible", "cancelled", "max_pending", "invalid"}));
  EXPECT_EQ(names_of<OnFailure>(3), (NameViews{"cancel", "run", "hold"}));
  EXPECT_EQ(names_of<ContentionMode>(3), (NameViews{"off", "order", "hold"}));
  EXPECT_EQ(names_of<ResourceOptions::Kind>(3), (NameViews{"quantity", "discrete", "highlander"}));
  EXPECT_EQ(names_of<Outcome>(kOutcomes),
            (NameViews{"ok", "failed", "oom", "cancelled", "unknown"}));
  EXPECT_EQ(names_of<WindowCause>(kWindowCauses),
            (NameViews{"slow_start", "growth", "red", "idle_restart", "reload", "knee", "yield",
                       "unused"}));
  EXPECT_EQ(names_of<OnError>(4), (NameViews{"hold", "red", "green", "ignore"}));
  EXPECT_EQ(names_of<Acts>(2), (NameViews{"congestion", "gate"}));
  EXPECT_EQ(names_of<JobState>(2), (NameViews{"pending", "running"}));
  EXPECT_EQ(names_of<Law>(2), (NameViews{"rfc", "adaptive"}));
  EXPECT_EQ(names_of<Unit>(4), (NameViews{"ratio", "bytes", "tasks", "count"}));
}

TEST(Names, SentencesCarryTheNumbersThatDecided) {
  const auto said = [](RefusalCode code, std::string_view binding, std::int64_t cost) {
    return to_sentence({code, binding, Points{cost}, Points{13}, Points{20}, JobId{42}, 0, 0, 0});
  };
  EXPECT_EQ(said(RefusalCode::window, "window", 15), "needs 15 points, 7 of 20 points are free");
  EXPECT_EQ(said(RefusalCode::window, "window", 1), "needs 1 point, 7 of 20 points are free");
  EXPECT_EQ(said(RefusalCode::window, "window", 0), "7 of 20 points are free");
  EXPECT_EQ(said(RefusalCode::sensor, "memory", 15), "sensor memory is red");
  EXPECT_EQ(said(RefusalCode::behind, "behind", 15), "behind job 42, which comes first");
  EXPECT_EQ(said(RefusalCode::impossible, "window", 30),
            "needs 30 points, more than the largest window of 20");
}

TEST(Names, SentenceOfARedSensorSaysAlsoWhatItHasRead) {
  Status status;
  status.sensors.resize(2);
  status.sensors[0].name = "load";
  SensorStatus& disk = status.sensors[1];
  disk.name = "disk";
  disk.up = true;
  disk.reading.emplace().sentence = "/var: 0 B available";
  const auto said = [&](std::string_view sensor) {
    Refusal refusal;
    refusal.code = RefusalCode::sensor;
    refusal.binding = sensor;
    return to_sentence(refusal, status);
  };
  EXPECT_EQ(said("disk"), "sensor disk is red: /var: 0 B available");
  EXPECT_EQ(said("memory"), "sensor memory is red");
  disk.up = false;
  disk.failure = "no such folder";
  EXPECT_EQ(said("disk"), "sensor disk is red: no such folder");
  disk.failure = "";
  const Refusal window{RefusalCode::window, "disk", Points{1}, Points{0}, Points{20}, {}, 0, 0, 0};
  EXPECT_EQ(to_sentence(window, status), to_sentence(window));
}

TEST(Names, SentenceOfAnOverfullWindowSaysNothingIsFree) {
  const Refusal refusal{
      RefusalCode::window, "window", Points{5}, Points{50}, Points{20}, {}, 0, 0, 0};
  EXPECT_EQ(to_sentence(refusal), "needs 5 points, 0 of 20 points are free");
}

Refusal counted(RefusalCode code, std::string_view binding, std::int64_t needs, std::int64_t free,
                std::int64_t total) {
  return {code, binding, Points{5}, Points{13}, Points{20}, JobId{42}, needs, free, total};
}

TEST(Names, SentencesOfWhatIsCountedSayHowMuchIsFree) {
  const std::pair<Refusal, const char*> cases[] = {
      {counted(RefusalCode::resource, "db", 2, 1, 4), "needs 2 of db, 1 of 4 free"},
      {counted(RefusalCode::resource, "db", 1, -2, 1), "needs 1 of db, 3 in use of 1"},
      {counted(RefusalCode::impossible, "db", 11, 10, 10), "needs 11 of db, which has 10"},
      {counted(RefusalCode::rate_limit, "2:lint", 1, 0, 2),
       "rate limit 2:lint: 2 run, of at most 2"},
      {counted(RefusalCode::memory, "memory", 512 << 20, 100, 1 << 30),
       "needs 512.0 MiB of memory, 100 B of 1.0 GiB free"},
      {counted(RefusalCode::memory, "memory", std::int64_t{99} << 30, std::int64_t{5} << 20,
               std::int64_t{250} << 30),
       "needs 99.0 GiB of memory, 5.0 MiB of 250.0 GiB free"},
      {counted(RefusalCode::impossible, "memory", std::int64_t{99} << 40, 0,
               std::int64_t{24064} << 20),
       "needs 99.0 TiB of memory, and this machine has 23.5 GiB"},
  };
  for (const auto& [refusal, sentence] : cases) EXPECT_EQ(to_sentence(refusal), sentence);
}

TEST(Names, ASentenceAboutMemoryTellsTheNeedFromWhatIsThere) {
  constexpr std::int64_t mebibyte = 1 << 20, gibibyte = mebibyte << 10, tebibyte = gibibyte << 10;
  const auto impossible = [](std::int64_t needs, std::int64_t total) {
    return to_sentence(counted(RefusalCode::impossible, "memory", needs, 0, total));
  };
  EXPECT_EQ(impossible(200 * gibibyte + 50 * mebibyte, 200 * gibibyte),
            "needs 200.05 GiB of memory, and this machine has 200.00 GiB");
  EXPECT_EQ(impossible(20 * tebibyte + 50 * gibibyte, 20 * tebibyte),
            "needs 20.05 TiB of memory, and this machine has 20.00 TiB");
  EXPECT_EQ(impossible(200 * gibibyte + 1, 200 * gibibyte),
            "needs 214748364801 bytes of memory, and this machine has 214748364800 bytes");
  EXPECT_EQ(impossible(1000 * mebibyte + 1, 1000 * mebibyte),
            "needs 1048576001 bytes of memory, and this machine has 1048576000 bytes");
  EXPECT_EQ(impossible(201 * gibibyte, 200 * gibibyte),
            "needs 201.0 GiB of memory, and this machine has 200.0 GiB");
  EXPECT_EQ(to_sentence(counted(RefusalCode::memory, "memory", 200 * gibibyte + 50 * mebibyte,
                                200 * gibibyte, 300 * gibibyte)),
            "needs 200.05 GiB of memory, 200.00 GiB of 300.0 GiB free");
  EXPECT_EQ(to_sentence(counted(RefusalCode::memory, "memory", 200 * gibibyte, 200 * gibibyte,
                                300 * gibibyte)),
            "needs 200.0 GiB of memory, 200.0 GiB of 300.0 GiB free")
      << "equal amounts need no more decimals";
}

TEST(Names, SentencesNameOtherJobsAsPeopleDo) {
  const JobNames names = [](JobId id) { return "build-" + std::to_string(id.value); };
  const std::pair<RefusalCode, const char*> cases[] = {
      {RefusalCode::behind, "behind job build-42, which comes first"},
      {RefusalCode::held_for, "room is kept for job build-42, which has waited longest"},
      {RefusalCode::dependency, "comes after job build-42, which has not finished or has failed"}};
  for (const auto& [code, sentence] : cases) {
    EXPECT_EQ(to_sentence(counted(code, "x", 0, 0, 0), names), sentence);
  }
}

TEST(Names, TheSentenceOfAnInvalidJobNamesTheFieldAndNotACause) {
  EXPECT_EQ(to_sentence(counted(RefusalCode::invalid, "nice", 0, 0, 0)),
            "has an invalid field: nice");
  EXPECT_EQ(to_sentence(counted(RefusalCode::invalid, "", 0, 0, 0)), "is invalid");
}

TEST(Names, EveryRefusalHasASentenceOfItsOwn) {
  std::set<std::string> sentences;
  for (std::size_t code = 0; code < kRefusalCodes; ++code) {
    Refusal refusal;
    refusal.code = static_cast<RefusalCode>(code);
    refusal.cost = Points{1};
    EXPECT_TRUE(sentences.insert(to_sentence(refusal)).second);
  }
  EXPECT_FALSE(sentences.contains(""));
}

}  // namespace
}  // namespace sluice
