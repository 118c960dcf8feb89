#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/autoscale/autoscale_metrics.h"
#include "cli/autoscale/stats.h"
#include "cli/autoscale/stats_files.h"
#include "cli/terminal/gnuplot.h"
#include "contents.h"
#include "shell.h"

namespace sluice::cli {
namespace {
using sluice::testing::Answer;
using sluice::testing::answer_of;
using sluice::testing::contents_of;

namespace fs = std::filesystem;

class AutoscaleRun : public ::testing::Test {
 protected:
  AutoscaleRun() { fs::create_directories(folder_); }
  ~AutoscaleRun() override { fs::remove_all(folder_); }

  /// The output of `sluice autoscale` in the folder of the test, including its errors.
  Answer call(const std::string& arguments) const {
    return shell("exec " SLUICE_COMMAND " autoscale " + arguments);
  }

  /// The output of a shell's command in the folder of the test, including its errors.
  Answer shell(const std::string& line) const {
    return answer_of("cd " + folder_.string() + " && " + line);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  std::string read(const std::string& name) const { return contents_of(path(name)); }

  const fs::path folder_ =
      fs::path(::testing::TempDir()) /
      (std::string("autoscale-") + ::testing::UnitTest::GetInstance()->current_test_info()->name() +
       "-" + std::to_string(getpid()));
};

/// A poll of two executors, of which this many do not reply.
ReconcileResult result_with_unseen(int unseen) {
  ReconcileResult result;
  result.fleet.executors.resize(2);
  result.decision.numbers.executors = 2;
  result.unseen = unseen;
  return result;
}

TEST_F(AutoscaleRun, OnceWithItsOnlyExecutorDeadHasStatusOneAndSaysThatItIsBlind) {
  const Answer answer =
      call("-m 20 -e " + folder_.string() + "/none.sock --state state.json --once --json");
  EXPECT_EQ(answer.status, 1) << answer.text;
  EXPECT_NE(answer.text.find(R"("blind":"none of the executors could be seen")"), std::string::npos)
      << answer.text;
  EXPECT_NE(answer.text.find(R"("not_seen":1)"), std::string::npos) << answer.text;
}

TEST_F(AutoscaleRun, AWrongCallIsNamedInOneLine) {
  const Answer option = call("--maxx 5");
  EXPECT_EQ(option.status, 2);
  EXPECT_EQ(option.text,
            "sluice autoscale: unknown option `--maxx`; did you mean `--max`? (sluice autoscale "
            "--help lists them)\n");
  const Answer scheme = call("-m 5 --prometheus file:///etc/hostname --once");
  EXPECT_EQ(scheme.status, 2);
  EXPECT_EQ(scheme.text,
            "sluice autoscale: --prometheus: `file:///etc/hostname` must be HOST:PORT, "
            "http://HOST:PORT or the path of a socket\n");
}

TEST_F(AutoscaleRun, ItsHelpIsTheSameHoweverItIsAskedFor) {
  const Answer help = call("--help");
  EXPECT_EQ(help.status, 0);
  for (const char* part : {"Usage: sluice autoscale [OPTIONS]\n", "--kubernetes-api URL",
                           "in-cluster configuration", "Examples:\n"}) {
    EXPECT_NE(help.text.find(part), std::string::npos) << part << "\n" << help.text;
  }
  for (const char* way : {"help autoscale", "--help autoscale", "autoscale -h"}) {
    EXPECT_EQ(shell(std::string(SLUICE_COMMAND " ") + way).text, help.text) << way;
  }
  const Answer all = shell(SLUICE_COMMAND " --help");
  EXPECT_NE(all.text.find("autoscale  "), std::string::npos) << all.text;
}

TEST_F(AutoscaleRun, ItsProgramStandsBesideSluiceOrInThePath) {
  fs::copy_file(SLUICE_COMMAND, path("sluice"));
  const Answer missing = shell("PATH=/nowhere ./sluice autoscale --help");
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.text, "sluice autoscale: there is no program sluice-autoscale, neither " +
                              fs::canonical(folder_).string() +
                              "/sluice-autoscale nor in $PATH; its Debian package is "
                              "sluice-autoscale\n");
  const std::string folder = fs::path(SLUICE_COMMAND).parent_path();
  EXPECT_EQ(shell("PATH=" + folder + " ./sluice autoscale --help").text, call("--help").text);
  write("sluice-autoscale", "#!/bin/sh\necho \"beside: $*\"\nexit 7\n");
  fs::permissions(path("sluice-autoscale"), fs::perms::owner_all);
  const Answer beside = shell("PATH=" + folder + " ./sluice autoscale -m 3 --json");
  EXPECT_EQ(beside.text, "beside: -m 3 --json\n");
  EXPECT_EQ(beside.status, 7);
  fs::permissions(path("sluice-autoscale"), fs::perms::owner_read);
  const Answer unusable = shell("PATH=/nowhere ./sluice autoscale --help");
  EXPECT_EQ(unusable.status, 2);
  EXPECT_EQ(unusable.text, "sluice autoscale: sluice-autoscale: Permission denied\n");
}

TEST_F(AutoscaleRun, SluiceItselfLinksNoHttpClient) {
  const Answer libraries = shell("ldd " SLUICE_COMMAND);
  EXPECT_EQ(libraries.status, 0) << libraries.text;
  EXPECT_EQ(libraries.text.find("libcurl"), std::string::npos) << libraries.text;
  EXPECT_EQ(libraries.text.find("libssl"), std::string::npos) << libraries.text;
}

TEST(AutoscaleMetricsTest, AFleetOfWhichNoExecutorIsSeenIsBlind) {
  const auto page_of = [](int unseen) {
    AutoscaleMetrics metrics{AutoscaleOptions{}};
    metrics.record(result_with_unseen(unseen), {});
    return metrics.page();
  };
  EXPECT_NE(page_of(2).find("sluice_autoscaler_blind 1\n"), std::string::npos) << page_of(2);
  EXPECT_NE(page_of(1).find("sluice_autoscaler_blind 0\n"), std::string::npos) << page_of(1);
}

TEST(AutoscaleStats, ThereIsNoRowWhereNoExecutorIsSeen) {
  EXPECT_FALSE(stats_row(result_with_unseen(2), {}, {}).has_value());
  EXPECT_TRUE(stats_row(result_with_unseen(1), {}, {}).has_value());
}

const std::string kRow = stats_line(StatsRow{});

TEST_F(AutoscaleRun, TheFirstRowComesWithTheHead) {
  EXPECT_FALSE(append_stats(path("a.csv"), StatsRow{}));
  EXPECT_FALSE(append_stats(path("a.csv"), StatsRow{}));
  EXPECT_EQ(read("a.csv"), stats_head() + kRow + kRow);
}

TEST_F(AutoscaleRun, ALineThatWasCutOffIsEndedBeforeTheNextRow) {
  write("a.csv", stats_head() + kRow + "2026-03-01T12:0");
  EXPECT_FALSE(append_stats(path("a.csv"), StatsRow{}));
  EXPECT_EQ(read("a.csv"), stats_head() + kRow + "2026-03-01T12:0\n" + kRow);
  write("b.csv", "time,ho");
  EXPECT_FALSE(append_stats(path("b.csv"), StatsRow{}));
  EXPECT_EQ(read("b.csv"), stats_head() + kRow) << "of the head the rest is written";
}

TEST_F(AutoscaleRun, AFileThatIsNotOursIsLeftAlone) {
  for (const std::string& text : {std::string("precious\n"), kRow, "\n" + stats_head()}) {
    write("a.csv", text);
    const auto problem = append_stats(path("a.csv"), StatsRow{});
    ASSERT_TRUE(problem) << text;
    EXPECT_TRUE(problem->starts_with(path("a.csv") + ": its first line is not the header"))
        << *problem;
    EXPECT_EQ(read("a.csv"), text);
  }
}

TEST_F(AutoscaleRun, WhatFailsOfTheStatisticsIsSaidOnce) {
  write("a.csv", "precious\n");
  std::vector<std::string> said;
  Statistics statistics({path("a.csv"), path("pictures"), "svg"},
                        {[](const std::string&) { return "no picture"; },
                         [&](const std::string& problem) { said.push_back(problem); }});
  for (int row = 0; row < 5; ++row) statistics.append_row(StatsRow{});
  statistics.end();
  ASSERT_EQ(said.size(), 2U);
  EXPECT_TRUE(said[0].starts_with(path("a.csv") + ": ")) << said[0];
  EXPECT_EQ(said[1], "no picture");
}

TEST_F(AutoscaleRun, WhatGnuplotComplainsOfIsTakenAndNotItsPlace) {
  write("gnuplot",
        "#!/bin/sh\nprintf '\\nset output\\n   ^\\n\"%s\" line 17: cannot open\\n'"
        " $1 >&2\nprintf 'no such file\\n\\n' >&2\nexit 1\n");
  fs::permissions(path("gnuplot"), fs::perms::owner_all);
  const std::string before = std::getenv("PATH");
  setenv("PATH", (folder_.string() + ":" + before).c_str(), 1);
  ::testing::internal::CaptureStderr();
  const auto problem = run_gnuplot("");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(problem, "gnuplot could not draw the picture: cannot open; no such file");
}

}  // namespace
}  // namespace sluice::cli
