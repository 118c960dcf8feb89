// Commands where a seccomp filter kills what connects, signals or traces.
#include <gtest/gtest.h>

#include <string>

#include "shell.h"

namespace sluice::testing {
namespace {

TEST(SeccompFilter, ThatKillsWhatConnectsIsNamedByClients) {
  const std::string filtered = STATIC_PROGRAM " filtered " SLUICE_COMMAND;
  const Answer refused = answer_of(filtered + " run --no-daemon fail -- echo ran");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.text, "sluice run: a seccomp filter kills processes that open a connection\n");
  const Answer build = answer_of(filtered + " build -- echo ran");
  EXPECT_EQ(build.status, 2);
  EXPECT_EQ(build.text, "sluice build: a seccomp filter kills processes that open a connection\n");
  EXPECT_EQ(answer_of(filtered + " run --no-daemon run -- echo ran").text,
            "sluice run: running ungoverned: a seccomp filter kills processes that open a "
            "connection\nran\n");
}

}  // namespace
}  // namespace sluice::testing
