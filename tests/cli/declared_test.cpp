#include "cli/declared.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <stdexcept>

#include "base/values.h"
#include "sluice/job.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

template <typename T>
std::string text(const std::variant<T, std::string>& declared) {
  if (const auto* problem = std::get_if<std::string>(&declared)) return *problem;
  return json::serialize(std::get<T>(declared));
}

TEST(Declared, LocksOfOneLevelAddUp) {
  EXPECT_EQ(
      text(declared_locks({"node=shared:a,b", "instance=unknown-exclusive", "node=exclusive:c"})),
      R"({"node":"shared:a,b exclusive:c","instance":"unknown-exclusive"})");
}

TEST(Declared, ResourcesAreNumbersAndParametersTexts) {
  EXPECT_EQ(text(declared_resources({"db=2", "ports=0"})), R"({"db":2,"ports":0})");
  EXPECT_EQ(text(declared_params({"i=a=b", "empty="})), R"({"i":"a=b","empty":""})");
}

TEST(Declared, PositionsAreOfTheApi) {
  EXPECT_EQ(text(declared_position("front")), R"("front")");
  EXPECT_EQ(text(declared_position("back")), R"("back")");
  EXPECT_EQ(text(declared_position("before:a:b")), R"({"before":"a:b"})");
  EXPECT_EQ(text(declared_position("after:7")), R"({"after":"7"})");
}

TEST(Declared, WhatIsWrongNamesTheOption) {
  for (const char* bad : {"node", "=x", ""}) {
    EXPECT_TRUE(text(declared_locks({bad})).starts_with("--lock must be")) << bad;
    EXPECT_TRUE(text(declared_params({bad})).starts_with("--param must be")) << bad;
  }
  for (const char* bad : {"node=exclusive", "node=", "node=exclusive:a,", "node=some:a"}) {
    EXPECT_TRUE(text(declared_locks({bad})).starts_with("--lock node: ")) << bad;
  }
  for (const char* bad : {"db", "db=", "db=x", "db=1x", "=1"}) {
    EXPECT_TRUE(text(declared_resources({bad})).starts_with("--resource must be")) << bad;
  }
  for (const char* bad : {"", "middle", "before:", "before"}) {
    EXPECT_TRUE(text(declared_position(bad)).starts_with("--position must be")) << bad;
  }
}

std::string problem_of_memory(const std::string& value) {
  try {
    return print_size(declared_memory(value));
  } catch (const std::runtime_error& problem) {
    return problem.what();
  }
}

TEST(Declared, MemoryIsASizeWithAUnit) {
  EXPECT_EQ(declared_memory("1.5GiB"), Bytes{3ULL << 29});
  EXPECT_EQ(declared_memory("1048576TiB"), kMostMemory);
  const std::string must = "--memory must be a size such as 1.5GiB, at most 1048576TiB, not ";
  EXPECT_EQ(problem_of_memory("much"), must + "\"much\"");
  EXPECT_EQ(problem_of_memory("0B"), must + "\"0B\"");
  EXPECT_EQ(problem_of_memory("99999999TiB"), must + "\"99999999TiB\"");
  EXPECT_EQ(problem_of_memory("1048577TiB"), must + "\"1048577TiB\"");
  EXPECT_EQ(problem_of_memory("1000000"), must +
                                              "\"1000000\"; add the unit: B, KiB, MiB, GiB, "
                                              "TiB, kB, MB, GB or TB");
}

}  // namespace
}  // namespace sluice::cli
