// `sluice nproc` and `sluice env`, with and without a daemon.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <boost/json.hpp>
#include <filesystem>

#include "cli/fit_now.h"
#include "unread.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

/// Where no daemon is and nothing is known.
class Nproc : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path().string() + "/sluice-nproc-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    home = pattern;
    alone = "cd / && env -u SLUICE_SOCKET XDG_RUNTIME_DIR=" + home + " HOME=" + home +
            " timeout 60 " SLUICE_COMMAND " ";
  }
  void TearDown() override { std::filesystem::remove_all(home); }

  std::string home, alone;
};

TEST_F(Nproc, WithoutADaemonReadsTheSensorsAndStartsNone) {
  const Answer answer = answer_of(alone + "nproc --key k --json");
  ASSERT_EQ(answer.status, 0) << answer.text;
  const json::object fit = json::parse(answer.text).as_object();
  EXPECT_GE(fit.at("jobs").to_number<int>(), 1);
  EXPECT_EQ(fit.at("source"), "sensors");
  EXPECT_FALSE(std::filesystem::exists(home + "/sluice/sluice.sock"));
}

TEST_F(Nproc, PrintsANumberForTools) {
  const Answer answer = answer_of(alone + "nproc --max 1");
  EXPECT_EQ(answer.text, "1\n");
  EXPECT_NE(answer_of(alone + "nproc --max 1 -v").text.find(" 1 fits: "), std::string::npos);
}

TEST_F(Nproc, AnEmptyNameIsNoKindOfJob) {
  for (const std::string command : {"nproc", "env"}) {
    for (const std::string option : {"--key", "--program"}) {
      const Answer answer = answer_of(alone + command + " " + option + " ''");
      EXPECT_EQ(answer.status, 2) << command;
      EXPECT_EQ(answer.text, "sluice " + command + ": " + option +
                                 ": must not be empty (see sluice " + command + " --help)\n");
    }
  }
}

TEST_F(Nproc, OfADaemonIsItsAnswer) {
  const std::string socket = home + "/s.sock";
  answer_of("(" + alone + "serve --socket " + socket +
            " --listen off --exit-when-idle 2s >/dev/null 2>&1 &)");
  const std::string ask = alone + "nproc --json --program cc1plus --socket " + socket;
  Answer answer = answer_of(ask);
  for (int tries = 0; answer.status != 0 && tries < 200; ++tries) {
    answer = answer_of("sleep 0.05; " + ask);
  }
  ASSERT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(json::parse(answer.text).at("source"), "daemon");
  EXPECT_GE(json::parse(answer.text).at("jobs").to_number<int>(), 1);
}

TEST_F(Nproc, OfADaemonThatIsNotThereIsAnError) {
  const Answer answer = answer_of(alone + "nproc --socket " + home + "/none");
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.text.find("sluice nproc: no sluice daemon found: tried " + home + "/none"),
            std::string::npos);
}

TEST_F(Nproc, WithoutTheDaemonOfTheEnvironmentMeasuresAndSaysSo) {
  const std::string named =
      "cd / && SLUICE_SOCKET=" + home + "/none HOME=" + home + " timeout 60 " SLUICE_COMMAND " ";
  for (const std::string command : {"nproc", "env"}) {
    const Answer answer = answer_of(named + command + " --max 1");
    EXPECT_EQ(answer.status, 0) << command;
    const std::string said = "sluice " + command +
                             ": measured without a daemon: no sluice daemon found: tried " + home +
                             "/none (named by SLUICE_SOCKET)";
    EXPECT_NE(answer.text.find(said), std::string::npos) << answer.text;
  }
  EXPECT_EQ(answer_of(named + "nproc --max 1 2>/dev/null").text, "1\n");
}

TEST_F(Nproc, WhoseNumberNobodyReadsEndsWithoutAWordLikeOtherCommands) {
  const std::string here =
      "env -u SLUICE_SOCKET XDG_RUNTIME_DIR=" + home + " HOME=" + home + " " SLUICE_COMMAND " ";
  for (const std::string words :
       {"nproc --max 1", "nproc --json", "env", "env --json", "version"}) {
    const Answer answer = unread_output(here + words);
    EXPECT_EQ(answer.status, 128 + SIGPIPE) << words;
    EXPECT_EQ(answer.text, "") << words;
  }
  const Answer kept = unread_output(here + "env --max 1 -- sh -c 'exit 4'");
  EXPECT_EQ(kept.status, 4) << "a command ends as it would without Sluice";
}

TEST_F(Nproc, IsInTheEnvironmentOfACommand) {
  const Answer answer = answer_of("MAX_JOBS=7 " + alone +
                                  "env --max 1 -- sh -c 'echo $MAX_JOBS $JOBS $GOFLAGS; exit 4'");
  EXPECT_EQ(answer.status, 4);
  EXPECT_NE(answer.text.find("1 -p=1"), std::string::npos) << answer.text;
  EXPECT_NE(answer_of(alone + "env --max 1").text.find("MAX_JOBS=1\n"), std::string::npos);
  EXPECT_EQ(answer_of(alone + "env -- no-such-program").status, 127);
  EXPECT_EQ(answer_of(alone + "env -- /etc/passwd").status, 126);
}

TEST_F(Nproc, InTheEnvironmentIsAlsoOneJsonObject) {
  const Answer answer = answer_of("export MAX_JOBS=7; " + alone + "env --max 1 --json");
  ASSERT_EQ(answer.status, 0) << answer.text;
  const json::object variables = json::parse(answer.text).as_object();
  EXPECT_EQ(variables.at("JOBS"), "1");
  EXPECT_FALSE(variables.contains("MAX_JOBS")) << "it stays as it is";
  const Answer both = answer_of(alone + "env --json -- true");
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.text.find("cannot be given with"), std::string::npos) << both.text;
}

TEST(FitAnswer, IsOneSentence) {
  cli::FitAnswer answer{{3, "memory", "key", 0.9, 1.5 * 1024 * 1024 * 1024}, "daemon"};
  EXPECT_EQ(answer.sentence(),
            "3 fit: memory allows no more; one needs 1.5 GiB and 0.9 cores (by runs of its key)");
  EXPECT_EQ(cli::FitAnswer().jobs, 1u);
  cli::FitAnswer unknown{{1, "cpus", "prior", {}, {}}, "sensors"};
  EXPECT_EQ(unknown.sentence(), "1 fits: the CPUs allow no more (nothing is known of it)");
  EXPECT_EQ(cli::at_most(answer, 2).bound, "max");
  EXPECT_EQ(cli::at_most(answer, 3).bound, "memory");
}

}  // namespace
}  // namespace sluice::testing
