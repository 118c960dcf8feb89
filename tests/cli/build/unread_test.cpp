// `sluice build` and other commands that run one, when nobody reads what they say.
#include "unread.h"

#include <gtest/gtest.h>

#include "build_fixture.h"

namespace sluice::testing {
namespace {

const std::string kBuild = SLUICE_COMMAND " build ";

class UnreadBuild : public BuildFixture {};

TEST_F(UnreadBuild, EndsAsItsCommand) {
  const Answer answer = unread(kBuild + "-v -- sh -c 'echo built; exit 4'");
  EXPECT_EQ(answer.status, 4);
  EXPECT_EQ(answer.text, "built\n");
}

TEST_F(UnreadBuild, OfTokensEndsAsItsCommandToo) {
  EXPECT_EQ(unread(kBuild + "--tokens -v -- sh -c 'exit 4'").status, 4);
  EXPECT_EQ(unread(SLUICE_COMMAND " jobserver -v -- sh -c 'exit 4'").status, 4);
}

TEST_F(UnreadBuild, AFitIsPrintedAndUsed) {
  EXPECT_EQ(unread(SLUICE_COMMAND " nproc --max 1 -v").text, "1\n");
  const Answer answer = unread(SLUICE_COMMAND " env --max 1 -v -- sh -c 'echo $JOBS'");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.text, "1\n");
}

TEST_F(UnreadBuild, ItsCommandMissesAStreamThatIsClosed) {
  const std::string command = " sh -c 'test -e /proc/self/fd/1'";
  ASSERT_EQ(answer_of(command.substr(1) + " >&-").status, 1);
  for (const std::string words :
       {"build --", "build --tokens --", "jobserver --", "env --", "run --no-daemon run --"}) {
    EXPECT_EQ(answer_of(SLUICE_COMMAND " " + words + command).status, 0) << words;
    EXPECT_EQ(answer_of(SLUICE_COMMAND " " + words + command + " >&-").status, 1) << words;
  }
}

TEST_F(UnreadBuild, ItsCommandHasTheHandlingOfSignalsOfItsCaller) {
  for (const std::string words : {"build --", "jobserver --", "env --max 1 --"}) {
    const std::string command = SLUICE_COMMAND " " + words + " env";
    EXPECT_EQ(ignored_below(command), ignored_below("env")) << words;
    EXPECT_EQ(ignored_below("trap '' PIPE; " + command), ignored_below("trap '' PIPE; env"))
        << words;
  }
}

}  // namespace
}  // namespace sluice::testing
