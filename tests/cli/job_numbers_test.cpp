#include "cli/job_numbers.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using Variables = std::map<std::string, std::string>;

Variables numbers(std::size_t jobs, const Variables& there = {}) {
  return job_numbers(jobs, [&](const char* name) -> const char* {
    const auto found = there.find(name);
    return found == there.end() ? nullptr : found->second.c_str();
  });
}

TEST(JobNumbers, AreSetWhereToolsReadThem) {
  EXPECT_EQ(numbers(3), (Variables{{"CARGO_BUILD_JOBS", "3"},
                                   {"CMAKE_BUILD_PARALLEL_LEVEL", "3"},
                                   {"CTEST_PARALLEL_LEVEL", "3"},
                                   {"GOFLAGS", "-p=3"},
                                   {"GRADLE_OPTS", "-Dorg.gradle.workers.max=3"},
                                   {"JOBS", "3"},
                                   {"MAX_JOBS", "3"},
                                   {"PYTEST_XDIST_AUTO_NUM_WORKERS", "3"}}));
}

TEST(JobNumbers, ThatSomebodySetStay) {
  const Variables set = numbers(3, {{"MAX_JOBS", "2"}, {"GOFLAGS", "-mod=vendor -p=9"}});
  EXPECT_EQ(set.count("MAX_JOBS"), 0u);
  EXPECT_EQ(set.count("GOFLAGS"), 0u);
  EXPECT_EQ(set.at("JOBS"), "3");
}

TEST(JobNumbers, JoinTheOtherOptions) {
  EXPECT_EQ(numbers(5, {{"GOFLAGS", "-mod=vendor"}}).at("GOFLAGS"), "-mod=vendor -p=5");
  EXPECT_EQ(numbers(5, {{"JOBS", ""}}).at("JOBS"), "5") << "empty is not set";
}

}  // namespace
}  // namespace sluice::cli
