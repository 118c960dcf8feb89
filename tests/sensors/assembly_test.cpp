// The sensors that the parts of a governor have, by its law.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>

#include "executor_folders.h"
#include "host_trees.h"
#include "sluice/embed.h"

namespace sluice {
namespace {

/// The pressure of a quota that throttles in each period, under a law; `most`: a limit that is
/// written.
double throttled_under(Law law, std::optional<double> most = std::nullopt) {
  auto files = open_v2_level("/group");
  files["/group/cgroup.procs"] = "";
  files["/group/cpu.max"] = "150000 100000\n";
  files["/group/cpu.stat"] = "nr_periods 100\nnr_throttled 100\n";
  const TemporaryTree tree(files);
  const auto group = std::make_shared<const ExecutorGroup>(executor_group(
      GroupSource::attach, {executor_test::held(tree.at("/group"), "", "/sys/fs/cgroup")}));
  Options options;
  options.window.law = law;
  options.sensors.cgroup.throttled = most;
  const Assembly assembly = assemble(options, {}, group);
  const auto cgroup = std::ranges::find(assembly.sensors, "cgroup", &Sensor::name);
  if (cgroup == assembly.sensors.end()) return -1;
  cgroup->measure(at_seconds(0));
  tree.write("/group/cpu.stat", "nr_periods 110\nnr_throttled 110\n");
  const Measurement measured = cgroup->measure(at_seconds(1));
  const auto* reading = std::get_if<Reading>(&measured.result);
  return reading ? condition_of(*reading, "throttled").pressure : -1;
}

TEST(Assembly, ThrottlingIsRedOnlyUnderALawThatDoesNotMeasureTheCpus) {
  EXPECT_EQ(throttled_under(Law::knee), 0) << "two compilers under 1.5 CPUs are always throttled";
  EXPECT_EQ(throttled_under(Law::adaptive), 2);
  EXPECT_EQ(throttled_under(Law::rfc), 2);
}

TEST(Assembly, AWrittenLimitOfThrottlingCountsUnderEachLaw) {
  EXPECT_DOUBLE_EQ(throttled_under(Law::knee, 0.8), 1.25);
}

}  // namespace
}  // namespace sluice
