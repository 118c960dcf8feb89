// The commands that a user waits for use half of the CPUs beside programs that keep them busy: two
// of them without a daemon use about half each.
#include <gtest/gtest.h>

#include "cli/batch/embedded.h"
#include "cli/jobserver/embedded.h"
#include "cli/serve_amendments.h"

namespace sluice::cli {
namespace {

TEST(WhenRed, ABatchWithoutADaemonUsesHalf) {
  EXPECT_EQ(assemble_batch(Options{}, nullptr).options.when_red,
            GovernorOptions::WhenRed::use_half);
}

TEST(WhenRed, AJobserverWithoutADaemonUsesHalf) {
  EXPECT_EQ(assemble_jobserver(Options{}, {}).options.when_red, GovernorOptions::WhenRed::use_half);
}

TEST(WhenRed, APrivateDaemonUsesHalfAndAnotherNone) {
  ServeOptions options;
  EXPECT_EQ(options.when_red, GovernorOptions::WhenRed::start_none);
  ServeAmendments amendments;
  serve_own_builds(options, amendments);
  EXPECT_EQ(options.when_red, GovernorOptions::WhenRed::use_half);
}

}  // namespace
}  // namespace sluice::cli
