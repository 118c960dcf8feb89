// `sluice batch` starts no more jobs than descriptors suffice for, and fails none for lack of them.
#include <sys/resource.h>

#include <cerrno>
#include <exception>
#include <string>

#include "batch_helpers.h"
#include "cli/batch/descriptor_budget.h"
#include "cli/batch/nameless_file.h"
#include "few_descriptors.h"
#include "has.h"

namespace sluice::cli {
namespace {

using testing::FewDescriptors;
using testing::has;

std::string repeated(const std::string& line, int times) {
  std::string text;
  for (int at = 0; at < times; ++at) text += line;
  return text;
}

TEST(DescriptorBudget, AJobMoreForEveryNineDescriptors) {
  const std::size_t few = DescriptorBudget(1000, 20, 9).most_jobs(0);
  EXPECT_EQ(DescriptorBudget(1000, 11, 9).most_jobs(0), few + 1);
  EXPECT_GT(few, 80u);
  EXPECT_LT(few, 1000u / 9);
}

TEST(DescriptorBudget, FilesOfOutputLeaveLessForJobs) {
  const DescriptorBudget budget(1000, 20, 9);
  EXPECT_EQ(budget.most_jobs(90), budget.most_jobs(0) - 10);
}

TEST(DescriptorBudget, AJobWithoutGroupAndFilesNeedsFewer) {
  BatchSettings settings;
  EXPECT_EQ(descriptors_of_job(settings), 9u);
  settings.groups = Runner::Groups::off;
  EXPECT_EQ(descriptors_of_job(settings), 3u);
  settings.passing = BatchSettings::Passing::ungrouped;
  EXPECT_EQ(descriptors_of_job(settings), 1u);
}

TEST(DescriptorBudget, OneJobMayAlwaysRun) {
  EXPECT_EQ(DescriptorBudget(20, 20, 9).most_jobs(0), 1u);
  EXPECT_EQ(DescriptorBudget(64, 20, 9).most_jobs(1000), 1u);
}

TEST(NamelessFiles, ALackOfDescriptorsIsNoProblemOfTheirFolder) {
  NamelessFiles files;
  files.make();
  EXPECT_EQ(files.spare(), 1u);
  const auto spare = files.make();
  std::exception_ptr thrown;
  try {
    const FewDescriptors few(3);
    files.make();
    FAIL() << "it has a descriptor";
  } catch (...) {
    // A sanitizer needs descriptors to look at it.
    thrown = std::current_exception();
  }
  try {
    std::rethrow_exception(thrown);
  } catch (const TooManyOpenFiles& problem) {
    EXPECT_EQ(problem.error(), EMFILE);
    EXPECT_STREQ(problem.what(), "cannot open a temporary file: Too many open files");
  }
}

class BatchWithFewDescriptors : public BatchCalled {
 protected:
  BatchWithFewDescriptors() { widen_window(); }

  /// Both limits are this low.
  Answer batch_below(int most, const std::string& arguments, const std::string& input) const {
    write("in", input);
    const std::string command = "ulimit -n " + std::to_string(most) + " && " + line(arguments);
    const int status = system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out"), read("err")};
  }
};

TEST_F(BatchWithFewDescriptors, TheSoftLimitIsNone) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < 1024) GTEST_SKIP() << "the hard limit is low, too";
  const FewDescriptors few(100);
  const std::string together =
      "echo + >>marks; until [ `wc -l <marks` -ge 30 ]; do sleep 0.05; done\n";
  const Answer answer = batch("--timeout 60s", repeated(together, 30));
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(has(answer.err, "jobs        30 of 30 ran, 0 failed\n")) << answer.err;
}

TEST_F(BatchWithFewDescriptors, JobsHaveTheLimitThatTheBatchHad) {
  const FewDescriptors few(100);
  for (const char* arguments : {"", "-u", "--cgroups off"}) {
    EXPECT_EQ(batch(arguments, "ulimit -Sn; :\n").out, "100\n") << arguments;
  }
}

TEST_F(BatchWithFewDescriptors, JobsThatTheHardLimitDoesNotSufficeForWait) {
  const std::string until_full =
      "until grep -q 'more open files' err; do sleep 0.05; done; echo ran\n";
  const Answer answer = batch_below(120, "--timeout 60s --joblog log", repeated(until_full, 40));
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(answer.out, repeated("ran\n", 40));
  const std::string said =
      "sluice batch: no more jobs start until others end: they would need more open files than the "
      "hard limit of 120 (ulimit -Hn)\n";
  EXPECT_TRUE(has(answer.err, said)) << answer.err;
  EXPECT_EQ(answer.err.find(said), answer.err.rfind(said)) << "once: " << answer.err;
  EXPECT_EQ(read("log").find("failed"), std::string::npos) << read("log");
}

}  // namespace
}  // namespace sluice::cli
