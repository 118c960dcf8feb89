// Builds of which one starts another, or which are not of the same priority.
#include <sys/stat.h>

#include <string>
#include <utility>
#include <variant>

#include "build_fixture.h"
#include "command_runner.h"

namespace sluice::testing {
namespace {

class SeveralBuilds : public BuildFixture {
 protected:
  SeveralBuilds() {
    write_one_at_a_time();
    write_file(work("cc1"),
               "#!/usr/bin/env python3\n"
               "import time\n"
               "while time.process_time() < 0.5: pass\n");
    chmod(work("cc1").c_str(), 0755);
    write_file(work("Makefile"), "all: a b c\na b c:\n\t@./cc1 $@.c\n");
  }
};

TEST_F(SeveralBuilds, OfANestedOneTheInnerHoldsTheCompilersAndTheOuterNone) {
  const Answer built =
      build("--alone --config one.yaml -v -- " SLUICE_COMMAND " build -v -- make -s");
  EXPECT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(count(built.text, " 3 jobs, at most "), 1u) << built.text;
  EXPECT_EQ(count(built.text, " 0 jobs, at most 0 held at once"), 1u) << built.text;
  EXPECT_EQ(count(built.text, " at most 0 held at once"), 1u) << "the outer: " << built.text;
}

TEST_F(SeveralBuilds, SubmitJobsOfTheirPriority) {
  const std::pair<std::string, std::string> priorities[] = {
      {"low", "-10"}, {"normal", "0"}, {"high", "10"}};
  for (const auto& each : priorities) {
    CommandRunner running(
        {SLUICE_COMMAND, "build", "--priority", each.first, "--", "make", "-s", "-C", work("")},
        folder.path("home"));
    const std::string part = "\"priority\":" + each.second + ",";
    EXPECT_TRUE(eventually([&] {
      auto client = Client::connect(socket());
      if (!std::holds_alternative<Client>(client)) return false;
      const auto jobs = std::get<Client>(client).call("GET", "/v1/jobs");
      const auto* reply = std::get_if<ClientReply>(&jobs);
      return reply && count(reply->body, part) > 0;
    })) << each.first;
    EXPECT_EQ(running.wait(), 0) << running.err();
  }
}

}  // namespace
}  // namespace sluice::testing
