#include "service/protocol/environment.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using Variables = std::map<std::string, std::string>;

const auto kNone = [](std::string_view) { return false; };
const auto kAll = [](std::string_view) { return true; };

TEST(Environment, NamesTheItemsOfEachManager) {
  EXPECT_EQ(environment_of({{"ports", {"p1", "p2"}}, {"db", {"x"}}}, kNone),
            (Variables{{"SLUICE_RM_PORTS_ITEMS", "p1,p2"}, {"SLUICE_RM_DB_ITEMS", "x"}}));
}

TEST(Environment, HasJqmsNameTooWhereThatIsWanted) {
  EXPECT_EQ(environment_of({{"ports", {"p1"}}}, kAll),
            (Variables{{"SLUICE_RM_PORTS_ITEMS", "p1"}, {"JQM_RM_DISCRETE_PORTS_ITEMS", "p1"}}));
}

TEST(Environment, NamesAreFitForAShell) {
  EXPECT_EQ(environment_of({{"gpu-0.a\xc3\xa9", {"g"}}}, kNone),
            (Variables{{"SLUICE_RM_GPU_0_A___ITEMS", "g"}}));
}

TEST(Environment, WhoHoldsNothingHasNoVariable) {
  EXPECT_EQ(environment_of({{"ports", {}}}, kAll), Variables{});
  EXPECT_EQ(environment_of({}, kAll), Variables{});
}

}  // namespace
}  // namespace sluice
