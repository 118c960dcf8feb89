// Which values the options of the commands that read a record take, and which go together.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "../../record/record_folder.h"
#include "cli/record/moment.h"
#include "sample_record.h"
#include "shell.h"

namespace sluice::cli::testing {
namespace {
using sluice::testing::Answer;
using sluice::testing::answer_of;

/// What a command says that refuses a call: "sluice why: PROBLEM (see sluice why --help)".
std::string refusal_by(const std::string& command, const std::string& problem) {
  return "sluice " + command + ": " + problem + " (see sluice " + command + " --help)\n";
}

class RecordOptions : public ::testing::Test {
 protected:
  RecordOptions() {
    SampleRecord sample;
    for (std::uint64_t job = 1; job <= 20; ++job) {
      sample.add(10s + 635ms * (job + 1), submitted(job, "build-" + std::to_string(job)));
    }
    write_record(sample, state_);
  }
  static Answer call(const std::string& words) {
    return answer_of(std::string(SLUICE_COMMAND) + " " + words);
  }
  Answer read(const std::string& words) const { return call(words + " --state-dir " + state_); }

  record::testing::Folder folder_;
  const std::string state_ = folder_.path("state");
};

/// A variable of a script that is not set.
TEST_F(RecordOptions, AnEmptyValueIsRefusedWhereItWouldCountAsNotGiven) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"why", "17 --names-of ''", "--names-of"},
      {"why", "--at ''", "--at"},
      {"why", "''", "job"},
      {"why", "17 --state-dir ''", "--state-dir"},
      {"why", "17 --config ''", "--config"},
      {"why", "17 --socket ''", "--socket"},
      {"record export", "--names-of ''", "--names-of"},
      {"record export", "--scenario ''", "--scenario"},
      {"record export", "--from ''", "--from"},
      {"record export", "--to ''", "--to"},
      {"record list", "--state-dir ''", "--state-dir"},
      {"whatif", "/nosuch --cpus ''", "--cpus"},
      {"whatif", "/nosuch --memory ''", "--memory"},
      {"whatif", "/nosuch --from ''", "--from"},
      {"whatif", "/nosuch --config ''", "--config"},
      {"whatif", "/nosuch --set ''", "--set"},
      {"replay", "/nosuch --config ''", "--config"},
      {"history", "--errors --from ''", "--from"},
      {"history forget", "--all --state-dir ''", "--state-dir"}};
  for (const auto& [command, words, option] : cases) {
    const Answer answer = call(command + " " + words);
    EXPECT_EQ(answer.status, 2) << command << " " << words;
    EXPECT_EQ(answer.text, refusal_by(command, option + ": must not be empty")) << words;
  }
}

TEST_F(RecordOptions, ACountIsAWholeNumberInDecimalDigits) {
  for (const std::string count : {"-1", "99999999999999999999", "1000000001", "0x10", "2.5", ""}) {
    const std::string problem =
        "--lines: `" + count + "` is not a whole number from 0 to 1000000000";
    const Answer tail = read("record tail -n '" + count + "'");
    EXPECT_EQ(tail.status, 2) << count;
    EXPECT_EQ(tail.text, refusal_by("record tail", problem));
    EXPECT_EQ(read("why --at 0s -n '" + count + "'").text, refusal_by("why", problem));
  }
  const auto lines_of = [&](const std::string& count) {
    const std::string text = read("record tail -n " + count).text;
    return std::ranges::count(text, '\n');
  };
  EXPECT_EQ(lines_of("0"), 0);
  EXPECT_EQ(lines_of("10"), 10);
  EXPECT_EQ(lines_of("010"), 10) << "not octal";
  EXPECT_EQ(read("why --at 0s --occurrence 0").text,
            refusal_by("why", "--occurrence: `0` is not a whole number from 1 to 1000"));
  EXPECT_EQ(read("why --at 0s --occurrence 01").status, 0);
}

TEST_F(RecordOptions, WhyRefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(read("why 17 --at 1s").text, refusal_by("why", "job cannot be given with --at"));
  EXPECT_EQ(read("why 17 -n 3").text, refusal_by("why", "--lines needs --at"));
  EXPECT_EQ(read("why 17 --occurrence 4").text, refusal_by("why", "--occurrence needs --at"));
  EXPECT_EQ(read("why").text, "sluice why: give a job, or --at TIME\n");
  EXPECT_EQ(read("why 17").status, 0);
}

TEST_F(RecordOptions, ATimeJustBeforeTheRecordIsToldFromItsBeginByMilliseconds) {
  const auto said_of = [&](const std::string& second) {
    return read("why --at 2026-01-01T00:00:" + second + "Z").text;
  };
  const auto both = [](const std::string& begin, const std::string& asked) {
    return " begins at " + begin + ": " + asked + " is outside ";
  };
  const std::string close = said_of("11");
  EXPECT_NE(close.find(both(local_time(wall(11s)) + ".270", local_time(wall(11s)) + ".000")),
            std::string::npos)
      << close;
  const std::string earlier = said_of("09");
  EXPECT_NE(earlier.find(both(local_time(wall(11s)), local_time(wall(9s)))), std::string::npos)
      << earlier;
}

}  // namespace
}  // namespace sluice::cli::testing
