// A running batch that may open no more files. Not with a sanitizer, which needs some itself.
#include <sys/resource.h>
#include <sys/wait.h>

#include <string>

#include "batch_helpers.h"
#include "has.h"

namespace sluice::cli {
namespace {

using testing::has;

TEST_F(BatchCalled, AJobThatCannotStartForLackOfDescriptorsStartsLater) {
  widen_window();
  write("jobs", R"({"command": "touch a; until [ -e end-a ]; do sleep 0.01; done", "id": "a"})"
                "\n"
                R"({"command": "touch b; until [ -e end-b ]; do sleep 0.01; done"})"
                "\n"
                R"({"command": "touch c", "after": ["a"]})"
                "\n");
  const pid_t batch = begin("-f jobs --joblog log --timeout 60s");
  ASSERT_TRUE(in_time([&] { return exists("a") && exists("b"); })) << read("err");
  rlimit before{};
  ASSERT_EQ(prlimit(batch, RLIMIT_NOFILE, nullptr, &before), 0);
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(prlimit(batch, RLIMIT_NOFILE, &none, nullptr), 0);
  write("end-a", "");
  EXPECT_TRUE(in_time([&] { return has(read("err"), "Too many open files"); })) << read("err");
  EXPECT_FALSE(exists("c"));
  ASSERT_EQ(prlimit(batch, RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_TRUE(in_time([&] { return exists("c"); })) << read("err");
  write("end-b", "");
  int status = -1;
  waitpid(batch, &status, 0);
  EXPECT_EQ(status, 0) << read("err");
  EXPECT_EQ(read("log").find("failed"), std::string::npos) << read("log");
}

}  // namespace
}  // namespace sluice::cli
