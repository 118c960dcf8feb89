#include "sensors/psi.h"

#include <gtest/gtest.h>

#include "host_trees.h"
#include "sensors/cpu_pressure.h"
#include "sensors/io_pressure.h"
#include "sensors/memory_pressure.h"

namespace sluice {
namespace {

PsiSample sample(double some, double full, std::string source = "s") {
  Psi psi;
  psi.some.avg10 = some;
  psi.full = PsiLine{full, 0, 0, 0};
  return {psi, std::move(source)};
}

std::string psi_text(std::uint64_t total) {
  return "some avg10=0.00 avg60=0.00 avg300=0.00 total=" + std::to_string(total) +
         "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
}

TEST(PsiPaths, LeadFromTheCgroupToTheHost) {
  const auto places = find_cgroups(host_tree("hybrid"));
  EXPECT_EQ(psi_paths(places, PsiKind::io),
            (std::vector<std::string>{"/sys/fs/cgroup/unified/runner/io.pressure",
                                      "/sys/fs/cgroup/unified/io.pressure", "/proc/pressure/io"}));
}

TEST(NearestPsi, ReadsTheNearestFileThereIs) {
  struct {
    const char* kind;
    const char* source;
  } const rows[] = {
      {"hybrid", "/sys/fs/cgroup/unified/runner/memory.pressure"},
      {"service", "/sys/fs/cgroup/system.slice/executor.service/memory.pressure"},
      {"pod_v2", "/sys/fs/cgroup/memory.pressure"},
      {"v2", "/sys/fs/cgroup/user.slice/user-1000.slice/session-4.scope/memory.pressure"},
      {"nested", "/sys/fs/cgroup/memory.pressure"},
  };
  for (const auto& row : rows) {
    NearestPsi psi(host_tree(row.kind), PsiKind::memory);
    const auto result = psi.read(at_seconds(0));
    ASSERT_TRUE(value_in(result)) << failure_in(result).what;
    EXPECT_EQ(value_in(result)->source, row.source);
  }
}

TEST(NearestPsi, FallsBackToTheHostAndSaysWhatIsMissingThere) {
  const TemporaryTree tree{{"/proc/pressure/cpu", psi_text(5)}};
  NearestPsi cpu(tree.paths(), PsiKind::cpu);
  EXPECT_EQ(value_in(cpu.read(at_seconds(0)))->source, "/proc/pressure/cpu");
  EXPECT_FALSE(value_in(cpu.read_host())->has_value());
  NearestPsi io(tree.paths(), PsiKind::io);
  const auto none = io.read(at_seconds(0));
  ASSERT_FALSE(value_in(none));
  EXPECT_EQ(failure_in(none).what, tree.at("/proc/pressure/io") + ": No such file or directory");
}

TEST(MeasuresPsi, IsFalseOnlyWhereNoFileIsThere) {
  const auto measures = [](const char* kind) {
    const HostPaths paths = host_tree(kind);
    return measures_psi(paths, find_cgroups(paths), PsiKind::memory);
  };
  EXPECT_TRUE(measures("hybrid"));
  EXPECT_TRUE(measures("garbage"));
  EXPECT_FALSE(measures("bare"));
  EXPECT_FALSE(measures("pod_v1"));
}

TEST(MemoryPressureReading, JudgesSomeAndFull) {
  struct {
    double some, full, pressure;
    const char* worst;
  } const rows[] = {
      {10, 1, 0.5, "some"}, {10, 9, 0.9, "full"}, {40, 9, 2, "some"},
      {0, 0, 0, "some"},    {0, 100, 10, "full"},
  };
  for (const auto& row : rows) {
    const Reading reading =
        reading_or_fail(memory_pressure_reading(sample(row.some, row.full), {}, {}));
    EXPECT_NEAR(reading.pressure(), row.pressure, 1e-12);
    EXPECT_EQ(reading.conditions[reading.worst].name, row.worst);
  }
}

TEST(MemoryPressureReading, IsGreenAtExactlyItsLimits) {
  EXPECT_LT(reading_or_fail(memory_pressure_reading(sample(20, 10), {}, {})).pressure(), 1);
  EXPECT_GE(reading_or_fail(memory_pressure_reading(sample(20.01, 0), {}, {})).pressure(), 1);
  EXPECT_GE(reading_or_fail(memory_pressure_reading(sample(0, 10.01), {}, {})).pressure(), 1);
}

TEST(MemoryPressureReading, TakesTheWorseOfCgroupAndHost) {
  const PsiSample mild = sample(1, 1, "mild");
  const PsiSample bad = sample(50, 1, "bad");
  EXPECT_EQ(reading_or_fail(memory_pressure_reading(mild, bad, {})).source, "bad");
  EXPECT_EQ(reading_or_fail(memory_pressure_reading(bad, mild, {})).source, "bad");
}

TEST(MemoryPressureReading, WithoutItsLineFullIsAFailure) {
  PsiSample incomplete = sample(1, 1);
  incomplete.psi.full.reset();
  EXPECT_FALSE(value_in(memory_pressure_reading(incomplete, {}, {})));
  EXPECT_FALSE(value_in(memory_pressure_reading(sample(1, 1), incomplete, {})));
  EXPECT_FALSE(value_in(io_pressure_reading(incomplete, 0.4)));
}

TEST(MemoryPressureSensor, SeesTheCgroupThatIsWorseThanItsHost) {
  MemoryPressureSensor sensor(host_tree("service"), {});
  const Reading reading = reading_or_fail(sensor.read(at_seconds(0)));
  EXPECT_NEAR(reading.pressure(), 0.9, 1e-12);
  EXPECT_EQ(reading.source, "/sys/fs/cgroup/system.slice/executor.service/memory.pressure");
}

TEST(IoPressureReading, JudgesFullOnly) {
  EXPECT_NEAR(reading_or_fail(io_pressure_reading(sample(100, 20), 0.4)).pressure(), 0.5, 1e-12);
  EXPECT_LT(reading_or_fail(io_pressure_reading(sample(100, 40), 0.4)).pressure(), 1);
  EXPECT_GE(reading_or_fail(io_pressure_reading(sample(100, 40.01), 0.4)).pressure(), 1);
}

TEST(CpuPressureSensor, JudgesTheRateBetweenTwoReadings) {
  const TemporaryTree tree{{"/proc/pressure/cpu", psi_text(1'000'000)}};
  CpuPressureSensor sensor(tree.paths(), 0.6);
  const Reading first = reading_or_fail(sensor.read(at_seconds(0)));
  EXPECT_EQ(first.pressure(), 0);
  EXPECT_EQ(first.sentence, "waiting for a CPU not yet known, at most 60.0%");
  tree.write("/proc/pressure/cpu", psi_text(1'750'000));
  const Reading second = reading_or_fail(sensor.read(at_seconds(1)));
  EXPECT_NEAR(condition_of(second, "some").value, 0.75, 1e-9);
  EXPECT_NEAR(second.pressure(), 1.25, 1e-9);
  tree.write("/proc/pressure/cpu", psi_text(10));
  EXPECT_EQ(reading_or_fail(sensor.read(at_seconds(2))).pressure(), 0);
}

TEST(CpuPressureSensor, WithoutALimitIsOnlyShown) {
  const Reading reading = cpu_pressure_reading(0.9, std::nullopt, "s");
  EXPECT_EQ(reading.pressure(), 0);
  EXPECT_FALSE(reading.conditions[0].limit);
  EXPECT_EQ(reading.sentence, "tasks waited for a CPU 90.0% of the time, unlimited");
}

TEST(CpuPressureSensor, StartsAfreshWhenItReadsAnotherFile) {
  auto files = v2_host("/x");
  files["/proc/pressure/cpu"] = psi_text(0);
  const TemporaryTree tree(files);
  CpuPressureSensor sensor(tree.paths(), 0.6);
  reading_or_fail(sensor.read(at_seconds(0)));
  tree.write("/sys/fs/cgroup/x/cpu.pressure", psi_text(900'000'000));
  const Reading reading = reading_or_fail(sensor.read(at_seconds(11)));
  EXPECT_EQ(reading.source, "/sys/fs/cgroup/x/cpu.pressure");
  EXPECT_EQ(reading.sentence, "waiting for a CPU not yet known, at most 60.0%");
}

}  // namespace
}  // namespace sluice
