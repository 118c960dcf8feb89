#include "service/command_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

namespace sluice::testing {
namespace {

CommandEnd run(std::vector<std::string> command) {
  const SignalDescriptor signals(kCommandSignals);
  return run_command(command, signals);
}

TEST(RunCommand, GivesTheExitStatus) {
  EXPECT_EQ(run({"sh", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(run({"true"}).status, 0);
}

TEST(RunCommand, GivesTheSignalThatKilledIt) {
  EXPECT_EQ(run({"sh", "-c", "kill -KILL $$"}).signal, SIGKILL);
}

TEST(RunCommand, SaysWhyACommandCannotBeExecuted) {
  const CommandEnd missing = run({"/nonexistent/command"});
  EXPECT_EQ(missing.status, 127);
  EXPECT_NE(missing.problem.find("/nonexistent/command"), std::string::npos);
  TemporaryFolder folder;
  write_file(folder.path("plain"), "text");
  EXPECT_EQ(run({folder.path("plain")}).status, 126);
}

TEST(RunCommand, PassesSignalsOn) {
  const SignalDescriptor signals(kCommandSignals);
  // Pending before the command runs: it is passed on as soon as it is read.
  kill(getpid(), SIGUSR1);
  EXPECT_EQ(run_command({"sleep", "60"}, signals).signal, SIGUSR1);
}

TEST(RunCommand, GivesTheCommandTheSignalMaskFromBefore) {
  EXPECT_EQ(run({"sh", "-c", "grep -q 'SigBlk:.*0000000000000000' /proc/self/status"}).status, 0);
}

}  // namespace
}  // namespace sluice::testing
