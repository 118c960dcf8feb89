#include "base/item_variables.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(ItemVariables, AreTheOnlyOnesThatADaemonMaySet) {
  for (const char* name : {"SLUICE_RM_PORTS_ITEMS", "JQM_RM_DISCRETE_GPU_0_ITEMS"}) {
    EXPECT_TRUE(may_be_set_by_daemon(name)) << name;
  }
  for (const char* name :
       {"", "LD_PRELOAD", "PATH", "BASH_ENV", "MAKEFLAGS", "SLUICE_SOCKET", "SLUICE_PERMIT",
        "SLUICE_JOBSERVER", "SLUICE_RM_PORTS", "JQM_RM", "sluice_rm_ports_items",
        " SLUICE_RM_PORTS_ITEMS", "SLUICE_RM_A=b\nLD_PRELOAD_ITEMS", "SLUICE_RM_()_ITEMS"}) {
    EXPECT_FALSE(may_be_set_by_daemon(name)) << name;
  }
}

TEST(ItemVariables, OthersAreIgnoredAndSaid) {
  ItemVariables variables;
  variables.offer("LD_PRELOAD", "/tmp/evil.so");
  variables.offer("SLUICE_RM_PORTS_ITEMS", "p1");
  variables.offer("A\x1b[2J", "b");
  EXPECT_EQ(variables.taken, (std::map<std::string, std::string>{{"SLUICE_RM_PORTS_ITEMS", "p1"}}));
  EXPECT_EQ(about_ignored(variables.ignored),
            "ignored what the daemon may not set for a command: LD_PRELOAD, A?[2J; is it a sluice "
            "daemon that you trust?");
  EXPECT_EQ(about_ignored({}), "");
}

TEST(ItemVariables, AFloodOfOthersMakesNoFloodOfLines) {
  ItemVariables variables;
  for (int number = 0; number < 10'000; ++number) variables.offer(std::string(5000, 'x'), "");
  EXPECT_LT(about_ignored(variables.ignored).size(), 1000u);
}

}  // namespace
}  // namespace sluice
