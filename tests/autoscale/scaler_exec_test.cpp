#include "autoscale/scaler_exec.h"

#include <gtest/gtest.h>

#include "fixture.h"
#include "gearman_world.h"

namespace sluice {
namespace {

using testing::TemporaryFolder;

using Names = std::vector<std::string>;

TEST(ExecScalerTest, PutsTheNameWhereItBelongs) {
  EXPECT_EQ(filled_in({"start", "{name}", "--at={name}.{name}"}, "n1"),
            (Names{"start", "n1", "--at=n1.n1"}));
}

TEST(ExecScalerTest, RunsOneCommandForEachName) {
  const TemporaryFolder folder;
  const std::string log = folder.path("log");
  ExecScaler scaler({{"/bin/sh", "-c", "echo add {name} >> " + log},
                     {"/bin/sh", "-c", "echo remove {name} >> " + log}});
  EXPECT_EQ(scaler.add({"a", "b"}).done, (Names{"a", "b"}));
  EXPECT_EQ(scaler.remove({"a"}).done, Names{"a"});
  EXPECT_EQ(testing::lines_in(log), 3);
}

TEST(ExecScalerTest, TellsHowACommandFailedAndStopsThere) {
  const TemporaryFolder folder;
  ExecScaler scaler(
      {{"/bin/sh", "-c", "[ {name} = a ] || { echo no more quota >&2; exit 3; }"}, {"true"}});
  const ScalerReply reply = scaler.add({"a", "b", "c"});
  EXPECT_EQ(reply.done, Names{"a"});
  EXPECT_EQ(reply.problem, "/bin/sh: exit status 3, no more quota");
  EXPECT_TRUE(reply.unsure.empty());
}

TEST(ExecScalerTest, KillsWhatHangs) {
  ExecScaler::Options options{{"sleep", "600"}, {"true"}};
  options.timeout = std::chrono::milliseconds(200);
  const TimePoint before = Clock::now();
  const ScalerReply reply = ExecScaler(options).add({"a"});
  EXPECT_TRUE(reply.done.empty());
  EXPECT_EQ(reply.problem, "sleep: killed after 0.2 s");
  EXPECT_EQ(reply.unsure, Names{"a"}) << "nobody knows how far it came";
  EXPECT_LT(Clock::now() - before, std::chrono::seconds(20));
}

TEST(ExecScalerTest, SaysThatAProgramIsNotThere) {
  ExecScaler scaler({{"/nowhere/at-all", "{name}"}, {"true"}});
  const ScalerReply reply = scaler.add({"a"});
  EXPECT_TRUE(reply.done.empty());
  EXPECT_NE(reply.problem.find("exit status 127"), std::string::npos) << reply.problem;
}

TEST(ExecScalerTest, PutsNoForeignTextIntoCommands) {
  const TemporaryFolder folder;
  const std::string trap = folder.path("trap");
  ExecScaler scaler({{"true"}, {"/bin/sh", "-c", "true {name}"}});
  for (const std::string& name : {"a; touch " + trap, std::string("-rf"), std::string("")}) {
    EXPECT_FALSE(is_executor_name(name));
    EXPECT_TRUE(scaler.removable({name}).ids.empty());
    EXPECT_TRUE(scaler.remove({name}).done.empty());
  }
  EXPECT_EQ(testing::lines_in(trap), 0);
  EXPECT_TRUE(is_executor_name("node-001.example:9797"));
}

}  // namespace
}  // namespace sluice
