// `sluice batch` as a user runs it: the jobs it runs, their order, and its messages.
#include <algorithm>

#include "batch_helpers.h"
#include "has.h"

namespace sluice::cli {
namespace {

using testing::has;

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(BatchCalled, ArgumentsOnTheCommandLineInTheirOrder) {
  const Answer answer = batch("-k 'sleep 0.0{}; echo {}' ::: 9 1 5 'a b'");
  EXPECT_EQ(answer.out, "9\n1\n5\na b\n");
  EXPECT_EQ(answer.status, 0);
  EXPECT_TRUE(has(answer.err, "jobs        4 of 4 ran, 0 failed\n")) << answer.err;
}

TEST_F(BatchCalled, ArgumentsOnTheCommandLineAreTakenAsTheyAre) {
  const Answer answer = batch("-k 'printf \"[%s]\"' ::: a '' '  ' \"$(printf 'x\\r')\"");
  EXPECT_EQ(answer.out, "[a][][  ][x\r]");
  EXPECT_EQ(answer.status, 0);
  EXPECT_TRUE(has(answer.err, "jobs        4 of 4 ran, 0 failed\n")) << answer.err;
}

TEST_F(BatchCalled, CommandsComeFromAPipeAndTheStatusIsTheNumberThatFailed) {
  const Answer answer = batch("-k", "echo one\n\n# a remark\nexit 3\necho two >&2; false\n");
  EXPECT_EQ(answer.out, "one\n");
  EXPECT_EQ(answer.status, 2);
  EXPECT_TRUE(has(answer.err, "sluice batch: exit 3: exit status 3\n")) << answer.err;
  EXPECT_TRUE(has(answer.err, "jobs        3 of 3 ran, 2 failed\n")) << answer.err;
  EXPECT_TRUE(has(answer.err, "failed      echo two >&2; false: exit status 1: two\n"))
      << answer.err;
}

TEST_F(BatchCalled, InOrderABadLineOfAPipeHoldsNothingUp) {
  const std::string lines =
      R"(echo '{"comand": "x"}'; echo 'echo first'; n=0
      until grep -q first out || [ $n = 1500 ]; do n=$((n + 1)); sleep 0.02; done
      grep -q first out && echo 'touch seen')";
  const std::string command = "cd " + path("") + " && { " + lines +
                              "\n} | " SLUICE_COMMAND
                              " batch --config sluice.yaml --state-dir state -k >out 2>err";
  EXPECT_NE(system(command.c_str()), 0);
  EXPECT_TRUE(exists("seen")) << read("out") << read("err");
}

TEST_F(BatchCalled, ABadLineOfAPipeIsAmongTheFailures) {
  const std::string command =
      "cd " + path("") +
      R"( && printf 'echo a\n{"command": "x", "bogus": 1}\n' | )" SLUICE_COMMAND
      " batch --config sluice.yaml --state-dir state >out 2>err";
  EXPECT_EQ(WEXITSTATUS(system(command.c_str())), 1);
  EXPECT_EQ(read("out"), "a\n");
  EXPECT_TRUE(has(read("err"), "jobs        1 of 2 ran, 1 failed\n")) << read("err");
  EXPECT_TRUE(has(read("err"), "\nfailed      ")) << read("err");
  EXPECT_TRUE(has(read("err").substr(read("err").find("\nfailed ")), "`bogus`")) << read("err");
}

TEST_F(BatchCalled, NoInputIsNoFailure) { EXPECT_EQ(batch("").status, 0); }

TEST_F(BatchCalled, ACommandThatIsNotThereFailsAsInAShell) {
  const Answer answer = batch("--joblog log", "/nonexistent/program\n");
  EXPECT_EQ(answer.status, 1);
  EXPECT_TRUE(has(read("log"), "\t127\t0\t/nonexistent/program\t")) << read("log");
}

TEST_F(BatchCalled, ObjectsSayKeyPriorityLocksResourcesAndWhatTheyComeAfter) {
  write("sluice.yaml", read("sluice.yaml") + "resources: {ports: {kind: discrete, items: [p7]}}\n");
  write(
      "jobs",
      R"({"command": "echo last", "id": "z", "priority": -1})"
      "\n"
      R"({"command": ["echo", "a b"], "id": "a", "key": "mine", "locks": {"node": "exclusive:n"}})"
      "\n"
      R"({"command": "echo $SLUICE_RM_PORTS_ITEMS", "after": ["a"], "resources": {"ports": 1}})"
      "\n"
      R"({"command": "echo first", "id": "f", "priority": 3})"
      "\n");
  const Answer answer = batch("-f jobs -j1 --joblog log");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(answer.out, "first\na b\np7\nlast\n");
  EXPECT_TRUE(has(read("log"), "\techo 'a b'\ta\tmine\tok\t1\t")) << read("log");
}

TEST_F(BatchCalled, WhatComesAfterAFailureIsNotRun) {
  write("jobs", R"({"command": "false", "id": "a"})"
                "\n"
                R"({"command": "touch ran", "after": ["a"]})"
                "\n"
                R"({"command": "echo all the same", "after": ["a"], "on_failure": "run"})"
                "\n");
  const Answer answer = batch("-f jobs");
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(answer.out, "all the same\n");
  EXPECT_FALSE(exists("ran"));
  EXPECT_TRUE(
      has(answer.err,
          "sluice batch: jobs:2: touch ran: not run: a job it depends on did not succeed\n"))
      << answer.err;
}

TEST_F(BatchCalled, ABadLineNamesItsPlaceAndFieldAndNothingRuns) {
  write("jobs", "touch ran\n{\"command\": \"x\", \"priority\": \"high\"}\n{\"comand\": \"y\"}\n");
  const Answer answer = batch("-f jobs");
  EXPECT_EQ(answer.status, 2);
  EXPECT_TRUE(has(answer.err, "sluice batch: jobs:2: `priority` ")) << answer.err;
  EXPECT_TRUE(has(answer.err, "sluice batch: jobs:3: `comand` is not known; did you mean"))
      << answer.err;
  EXPECT_FALSE(exists("ran"));
}

TEST_F(BatchCalled, WhatTheGovernorCannotUseIsABadLineToo) {
  write("jobs", "touch ran\n{\"command\": \"x\", \"resources\": {\"db\": 1}}\n");
  const Answer answer = batch("-f jobs");
  EXPECT_EQ(answer.status, 2);
  EXPECT_TRUE(has(answer.err, "sluice batch: jobs:2: `resources")) << answer.err;
  EXPECT_FALSE(exists("ran"));
}

TEST_F(BatchCalled, HaltNowEndsWhatRunsAndStartsNoMore) {
  const Answer answer = batch("-j2 --halt now,fail=1", "exec sleep 1000\nexit 1\ntouch ran\n");
  EXPECT_EQ(answer.status, 1);
  EXPECT_TRUE(has(answer.err, "1 of 3 ran, 1 failed, 1 stopped")) << answer.err;
  EXPECT_FALSE(exists("ran"));
}

TEST_F(BatchCalled, HaltSoonLetsWhatRunsEnd) {
  // The joblog has the failure once the batch has counted it; the first job runs until then.
  const Answer answer = batch("-j2 --halt soon,fail=1 --joblog log",
                              "until grep -q failed log; do :; done; echo end\nexit 1\n"
                              "touch ran\n");
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(answer.out, "end\n");
  EXPECT_FALSE(exists("ran"));
}

TEST_F(BatchCalled, HaltCountsABadLineOfAPipeAsAFailure) {
  const std::string lines =
      R"(echo 'touch started; exec sleep 1000'; n=0
      until [ -e started ] || [ $n = 1500 ]; do n=$((n + 1)); sleep 0.02; done
      printf '{"command": 1}\ntouch ran\n')";
  const std::string command = "cd " + path("") + " && { " + lines +
                              "\n} | " SLUICE_COMMAND
                              " batch --config sluice.yaml --state-dir state --halt now,fail=1"
                              " >out 2>err";
  EXPECT_EQ(WEXITSTATUS(system(command.c_str())), 1);
  EXPECT_TRUE(has(read("err"), " ran, 1 failed, 1 stopped")) << read("err");
  EXPECT_FALSE(exists("ran"));
}

TEST_F(BatchCalled, AFailureIsRetriedAndTheLastAttemptCounts) {
  const Answer answer =
      batch("--retries 2 --joblog log", "echo x >>times; test `wc -l <times` = 3\nexit 4\n");
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(read("times"), "x\nx\nx\n");
  const std::string log = read("log");
  EXPECT_EQ(lines_in(log), 3u) << log;
  EXPECT_TRUE(has(log, "\tok\t3\t")) << log;
  EXPECT_TRUE(has(log, "\tfailed\t3\t")) << log;
  EXPECT_TRUE(has(answer.err, "            4 run again\n")) << answer.err;
}

TEST_F(BatchCalled, ATimeoutEndsAJobWithAllThatItStarted) {
  const Answer answer = batch("--timeout 100ms --joblog log", "sleep 1000 & echo $! >pid; wait\n");
  EXPECT_EQ(answer.status, 1);
  EXPECT_TRUE(has(answer.err, "timed out after 0.1 s\n")) << answer.err;
  EXPECT_TRUE(has(read("log"), "\t-1\t")) << read("log");
  EXPECT_TRUE(has(read("log"), "\ttimeout\t1\t")) << read("log");
  std::string pid = read("pid");
  pid.pop_back();
  EXPECT_TRUE(is_gone(pid));
}

TEST_F(BatchCalled, ResumeLeavesOutWhatTheJoblogHas) {
  const std::string jobs = "echo a\nexit 1\necho c\n";
  EXPECT_EQ(batch("-k --joblog log", jobs).status, 1);
  const Answer again = batch("-k --joblog log --resume", jobs + "echo d\n");
  EXPECT_EQ(again.out, "d\n");
  EXPECT_EQ(again.status, 0);
  EXPECT_TRUE(has(again.err, "            3 skipped: already in the joblog\n")) << again.err;
  EXPECT_EQ(lines_in(read("log")), 5u);
  const Answer failed = batch("-k --joblog log --resume-failed", jobs + "echo d\n");
  EXPECT_EQ(failed.out, "");
  EXPECT_EQ(failed.status, 1) << "the one that failed has failed again";
}

TEST_F(BatchCalled, ResumeDoesNotRunWhatComesAfterAFailureEither) {
  write("jobs", R"({"command": "[ -e mended ]", "id": "a"})"
                "\n"
                R"({"command": "echo b", "after": ["a"]})"
                "\n");
  EXPECT_EQ(batch("-f jobs --joblog log").status, 1);
  const Answer again = batch("-f jobs --joblog log --resume");
  EXPECT_EQ(again.out, "");
  EXPECT_TRUE(has(again.err, "echo b: not run: a job it depends on did not succeed\n"))
      << again.err;
  write("mended", "");
  EXPECT_EQ(batch("-f jobs --joblog log --resume-failed").out, "b\n");
  EXPECT_EQ(batch("-f jobs --joblog log --resume").out, "") << "both are in the joblog";
}

TEST_F(BatchCalled, AJoblogLineThatWasTornOffIsRunAndWrittenAgain) {
  EXPECT_EQ(batch("-k --joblog log", "echo a\necho b\n").status, 0);
  const std::string whole = read("log");
  write("log", whole.substr(0, whole.size() - 20));
  const Answer again = batch("-k --joblog log --resume", "echo a\necho b\n");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.out, lines_in(whole) == 3 ? read("out") : "");
  EXPECT_EQ(lines_in(again.out), 1u) << "one job's line was torn";
  EXPECT_EQ(lines_in(read("log")), 3u) << read("log");
  EXPECT_EQ(batch("--joblog log --resume", "echo a\necho b\n").out, "");
}

TEST_F(BatchCalled, AJoblogOfAnotherInputIsRefused) {
  batch("--joblog log", "echo a\n");
  const Answer other = batch("--joblog log --resume", "touch ran\n");
  EXPECT_NE(other.status, 0);
  EXPECT_TRUE(has(other.err, "job 1 differs from the one in log (echo a)")) << other.err;
  EXPECT_FALSE(exists("ran"));
  EXPECT_EQ(batch("--resume", "touch ran\n").status, 2);
}

TEST_F(BatchCalled, AJoblogOfParallelResumesNamesWithQuotesAndTabs) {
  const std::string start = "\t:\t1795258734.113\t     0.004\t0\t0\t0\t0\t";
  write("log", "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n1" +
                   start + "echo 'it'\"'\"'s'\n2" + start + "echo 'a\tb'\n");
  write("names", "it's\na\tb\nc\n");
  const Answer answer = batch("-f names --joblog log --resume echo");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(answer.out, "c\n");
}

TEST_F(BatchCalled, ADryRunRunsNothing) {
  const Answer text = batch("--dry-run -j1 'touch {}' ::: ran also");
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(has(text.out, "touch ran\n")) << text.out;
  EXPECT_EQ(lines_in(text.out), 3u);
  const Answer json = batch("--dry-run --json 'touch {}' ::: ran also");
  EXPECT_TRUE(json.out.starts_with(R"({"seq":1,"id":"","key":"touch:)")) << json.out;
  EXPECT_FALSE(exists("ran"));
}

TEST_F(BatchCalled, JsonIsOneObjectAnEventWithTheOutputInside) {
  const Answer answer = batch("--json", "printf 'a\\377b'; echo why >&2; exit 2\n");
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(lines_in(answer.out), 3u) << answer.out;
  EXPECT_TRUE(answer.out.starts_with(R"({"event":"started",)")) << answer.out;
  EXPECT_TRUE(has(answer.out, R"("stdout":"a?b","stderr":"why\n","cut":false})")) << answer.out;
  EXPECT_TRUE(has(answer.out, R"({"event":"summary","jobs":1,"finished":1,"failed":1,)"))
      << answer.out;
  EXPECT_EQ(answer.err, "");
}

TEST_F(BatchCalled, MegabytesOfOutputComeOutWholeAndInOrder) {
  const Answer answer =
      batch("-k -j2 'head -c 3000000 /dev/zero | tr \"\\\\0\" {}; echo' ::: a b c");
  EXPECT_EQ(answer.status, 0) << answer.err;
  std::string expected;
  for (const char c : {'a', 'b', 'c'}) expected += std::string(3'000'000, c) + "\n";
  EXPECT_TRUE(answer.out == expected) << answer.out.size() << " bytes";
}

TEST_F(BatchCalled, UngroupedOutputPassesWhileTheJobRuns) {
  const Answer answer = batch("-u", "echo early; until [ -s out ]; do :; done; echo late\n");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.out, "early\nlate\n");
}

TEST_F(BatchCalled, TagsSayWhoseALineIs) {
  EXPECT_EQ(batch("-k --tag 'printf \"1\\n2\\n\"; : {}' ::: a b").out, "a\t1\na\t2\nb\t1\nb\t2\n");
}

TEST_F(BatchCalled, JobsReadNothingOfOurInput) {
  EXPECT_EQ(batch("-k", "cat; echo a\necho b\n").out, "a\nb\n");
}

TEST_F(BatchCalled, QuietSaysOnlyWhatJobsSay) {
  const Answer answer = batch("-q", "echo out; echo err >&2; exit 1\n");
  EXPECT_EQ(answer.out, "out\n");
  EXPECT_EQ(answer.err, "err\n");
}

TEST_F(BatchCalled, NoMoreThanJAtOnce) {
  const Answer answer = batch(
      "-j2 'echo + >>marks; until [ `wc -l <marks` -ge 2 ]; do :; done; echo - >>marks; : {}' ::: "
      "1 2 3 4 5 6");
  EXPECT_EQ(answer.status, 0);
  int now = 0, most = 0;
  for (const char mark : read("marks")) {
    if (mark == '+') most = std::max(most, ++now);
    if (mark == '-') --now;
  }
  EXPECT_EQ(most, 2);
}

TEST_F(BatchCalled, TheSecondRunStartsWithWhatTheFirstOneFoundLongest) {
  const std::string jobs = "sleep 0.01; : short\nsleep 0.2; : long\n";
  batch("-j1", jobs);
  batch("-j1 --joblog log", jobs);
  const std::string log = read("log");
  EXPECT_LT(log.find("long"), log.find("short")) << log;
  batch("-j1 --joblog log --order arrival", jobs);
  EXPECT_LT(read("log").find("short"), read("log").find("long")) << read("log");
}

TEST_F(BatchCalled, JobsNeedTheMemoryThatTheCallOrTheyThemselvesDeclare) {
  const std::string jobs = "true\n{\"command\": \"false\", \"memory\": \"7MiB\"}\n";
  const std::string out = batch("--dry-run --json --memory 3MiB", jobs).out;
  EXPECT_NE(out.find("3145728"), std::string::npos) << out;
  EXPECT_NE(out.find("7340032"), std::string::npos) << out;
}

TEST_F(BatchCalled, QuietOneSaysOnceWhyItsJobsAreRefused) {
  const Answer answer = batch("-q --memory 100000TiB", "echo a\necho b\n");
  EXPECT_NE(answer.status, 0);
  EXPECT_NE(answer.err.find(": not run: needs "), std::string::npos) << answer.err;
  EXPECT_EQ(answer.err.find("stdin:2"), std::string::npos) << answer.err;
}

TEST_F(BatchCalled, ARefusedJobIsAmongTheFailuresAndInTheJoblog) {
  const Answer answer = batch("--memory 100000TiB --joblog log", "echo a\n");
  EXPECT_EQ(answer.status, 1);
  EXPECT_TRUE(has(answer.err, "jobs        0 of 1 ran, 1 failed\n")) << answer.err;
  EXPECT_TRUE(has(answer.err, "\nfailed      echo a: not run: needs ")) << answer.err;
  EXPECT_TRUE(has(read("log"), "\t127\t0\techo a\t")) << read("log");
  EXPECT_TRUE(has(read("log"), "\trefused\t0\t")) << read("log");
  const Answer json = batch("--memory 100000TiB --json", "echo a\n");
  EXPECT_TRUE(has(json.out, R"("finished":0,"failed":1,)")) << json.out;
  EXPECT_TRUE(has(json.out, R"("failures":["echo a: not run: needs )")) << json.out;
}

TEST_F(BatchCalled, WrongCallsAreSaidWithStatusTwo) {
  for (const char* wrong :
       {"--halt sometimes", "--timeout never", "--memory 0", "--memory 2000000TiB", "-f nowhere",
        "-j0", "--ungroup --keep-order", "a ::: 1 ::: 2", "-f x a ::: 1"}) {
    const Answer answer = batch(wrong);
    EXPECT_EQ(answer.status, 2) << wrong;
    EXPECT_NE(answer.err, "") << wrong;
  }
}

}  // namespace
}  // namespace sluice::cli
