// The assertions of Zuul's own tests of its sensors, and the values at the boundaries of its
// formulas, with Sluice's verdict and the reason for any difference.

#include <gtest/gtest.h>

#include <string>

#include "host_trees.h"
#include "sensors/cgroup.h"
#include "sensors/disk.h"
#include "sensors/load.h"
#include "sensors/memory.h"
#include "sensors/pids.h"

namespace sluice {
namespace {

enum class Verdict { accept, reject };

Verdict verdict_of(const Reading& reading) {
  return reading.pressure() >= 1 ? Verdict::reject : Verdict::accept;
}

std::ostream& operator<<(std::ostream& out, Verdict verdict) {
  return out << (verdict == Verdict::accept ? "accept" : "reject");
}

TEST(ZuulVectors, Load) {
  struct {
    const char* id;
    int cpus;
    double load, per_cpu;
    Verdict verdict;
  } const rows[] = {
      {"L1", 8, 0.0, 2.5, Verdict::accept},
      {"L2, 1 CPU", 1, 2.6, 2.5, Verdict::reject},
      {"L2, 2 CPUs", 2, 5.2, 2.5, Verdict::reject},
      {"L2, 72 CPUs", 72, 187.2, 2.5, Verdict::reject},
      {"2 CPUs at the limit", 2, 5.0, 2.5, Verdict::accept},
      {"2 CPUs above", 2, 5.01, 2.5, Verdict::reject},
      {"8 CPUs at the limit", 8, 20.0, 2.5, Verdict::accept},
      {"8 CPUs above", 8, 20.01, 2.5, Verdict::reject},
      {"72 CPUs", 72, 100, 2.5, Verdict::accept},
      {"4 CPUs, multiplier 1, at the limit", 4, 4.0, 1.0, Verdict::accept},
      {"4 CPUs, multiplier 1, above", 4, 4.1, 1.0, Verdict::reject},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(verdict_of(load_reading({row.load, 1, 100}, row.cpus, row.per_cpu)), row.verdict)
        << row.id;
  }
}

TEST(ZuulVectors, Memory) {
  struct {
    const char* id;
    double used;
    Verdict verdict;
  } const rows[] = {
      {"L1, R1", 20, Verdict::accept},
      {"R2", 99, Verdict::reject},
      {"exactly 5 % available", 95.0, Verdict::accept},
      {"4.9 % available", 95.1, Verdict::reject},
  };
  constexpr std::uint64_t kTotal = 8'000'000'000;
  for (const auto& row : rows) {
    const auto available = static_cast<std::uint64_t>((100 - row.used) / 100 * kTotal + 0.5);
    EXPECT_EQ(verdict_of(memory_reading({{kTotal}, {available}}, 0.05)), row.verdict) << row.id;
  }
}

/// A v1 host of 8 GiB with 20 % in use.
TemporaryTree v1_memory(std::uint64_t limit, std::uint64_t usage, std::uint64_t inactive_file) {
  const std::string base = "/sys/fs/cgroup/memory";
  return TemporaryTree(
      {{"/proc/self/cgroup", "3:memory:/\n"},
       {"/proc/self/mountinfo", "1 0 0:1 / " + base + " rw - cgroup cgroup rw,memory\n"},
       {base + "/memory.limit_in_bytes", std::to_string(limit) + "\n"},
       {base + "/memory.usage_in_bytes", std::to_string(usage) + "\n"},
       {base + "/memory.stat", "total_rss " + std::to_string(usage - inactive_file) +
                                   "\ntotal_inactive_file " + std::to_string(inactive_file) +
                                   "\n"}});
}

TEST(ZuulVectors, MemoryOfACgroup) {
  struct {
    const char* id;
    std::uint64_t limit, usage, inactive_file;
    Verdict zuul, sluice;
    const char* why;
  } const rows[] = {
      {"G1", 9223372036854771712u, 561152, 0, Verdict::accept, Verdict::accept, ""},
      {"G2", 5368709120, 1073741824, 0, Verdict::accept, Verdict::accept, ""},
      {"G3", 5368709120, 5153960755, 0, Verdict::reject, Verdict::reject, ""},
      {"limit is the host's total", 8 * kGiB, 8 * kGiB, 0, Verdict::accept, Verdict::accept, ""},
      {"G3 with as much cache on top", 10737418240, 10307921510, 5153960755, Verdict::accept,
       Verdict::accept, "no limit: above the host's total"},
      {"half of it cache that can go", 5368709120, 5153960755, 2576980377, Verdict::accept,
       Verdict::accept, "cache that the kernel gives up first does not count"},
      {"tmpfs, kernel memory and active cache fill it, rss is small", 5368709120, 5153960755,
       1048576, Verdict::accept, Verdict::reject,
       "Zuul counts rss alone; the working set counts all that cannot be given up"},
  };
  for (const auto& row : rows) {
    const TemporaryTree tree = v1_memory(row.limit, row.usage, row.inactive_file);
    CgroupSensor sensor(tree.paths(), Bytes{8 * kGiB}, {});
    EXPECT_EQ(verdict_of(reading_or_fail(sensor.read(at_seconds(0)))), row.sluice)
        << row.id << ": " << row.why;
    EXPECT_TRUE(row.zuul == row.sluice || *row.why) << row.id << " differs without a reason";
  }
}

TEST(ZuulVectors, MemoryOfACgroupInV2IsNotTakenForUnlimited) {
  auto files = v2_host("/x");
  files["/sys/fs/cgroup/x/memory.max"] = "5368709120\n";
  files["/sys/fs/cgroup/x/memory.current"] = "5153960755\n";
  const TemporaryTree tree(files);
  CgroupSensor sensor(tree.paths(), Bytes{8 * kGiB}, {});
  EXPECT_EQ(verdict_of(reading_or_fail(sensor.read(at_seconds(0)))), Verdict::reject);
}

TEST(ZuulVectors, Disk) {
  constexpr std::uint64_t kBlocks = 120920708;
  constexpr std::uint64_t kFree = 95716701;
  constexpr std::uint64_t kInodes = 61022208;
  constexpr std::uint64_t kFreeInodes = 32147841;
  struct {
    const char* id;
    DiskSpace space;
    Verdict zuul, sluice;
    const char* why;
  } const rows[] = {
      {"D1",
       {"/", 4096, kBlocks, kFree, kInodes, kFreeInodes},
       Verdict::accept,
       Verdict::accept,
       ""},
      {"D2",
       {"/", 4096, kBlocks, 5716701, kInodes, kFreeInodes},
       Verdict::reject,
       Verdict::reject,
       ""},
      {"D3", {"/", 4096, kBlocks, kFree, kInodes, 1336387}, Verdict::reject, Verdict::reject, ""},
      {"exactly 5 %", {"/", 4096, 10000, 500, 0, 0}, Verdict::accept, Verdict::accept, ""},
      {"4.99 %", {"/", 4096, 10000, 499, 0, 0}, Verdict::reject, Verdict::reject, ""},
      {"no inodes", {"/", 4096, 10000, 5000, 0, 0}, Verdict::accept, Verdict::accept, ""},
      {"5.1 % free, all of it root's reserve",
       {"/", 4096, 10000, 10, 0, 0},
       Verdict::accept,
       Verdict::reject,
       "f_bavail, which is what a user can have; Zuul looks at f_bfree"},
      {"no blocks",
       {"/", 4096, 0, 0, 0, 0},
       Verdict::reject,
       Verdict::accept,
       "a filesystem that counts no blocks has no limit; Zuul divides by zero"},
  };
  for (const auto& row : rows) {
    DiskSpace space = row.space;
    space.least = 0.05;
    EXPECT_EQ(verdict_of(disk_reading({space})), row.sluice) << row.id;
    EXPECT_TRUE(row.zuul == row.sluice || *row.why) << row.id << " differs without a reason";
  }
}

enum class PidsVerdict { accept, reject, failure };

PidsVerdict pids_verdict(const std::map<std::string, std::string>& changes) {
  auto files = v2_host("/user.slice");
  files.erase("/sys/fs/cgroup/user.slice/pids.max");
  files.erase("/sys/fs/cgroup/user.slice/pids.current");
  for (const auto& [path, content] : changes) files["/sys/fs/cgroup" + path] = content;
  const TemporaryTree tree(files);
  PidsSensor sensor(tree.paths(), {});
  const auto result = sensor.read(at_seconds(0));
  if (!value_in(result)) return PidsVerdict::failure;
  return verdict_of(*value_in(result)) == Verdict::reject ? PidsVerdict::reject
                                                          : PidsVerdict::accept;
}

struct PidsRow {
  const char* id;
  const char* max;
  const char* current;
  PidsVerdict verdict;
};

const PidsRow kPidsRows[] = {
    {"N1", "max", "16000", PidsVerdict::accept},
    {"N2", "16000", "8000", PidsVerdict::accept},
    {"N2, 16384", "16384", "8192", PidsVerdict::accept},
    {"N3", "16000", "15600", PidsVerdict::reject},
    {"N3, 16384", "16384", "15600", PidsVerdict::reject},
    {"N4", "150", "100", PidsVerdict::accept},
    {"N5", "150", "141", PidsVerdict::reject},
    {"N6", "16000", "16000", PidsVerdict::reject},
    {"limit 150, 11 free", "150", "139", PidsVerdict::accept},
    {"limit 150, 10 free", "150", "140", PidsVerdict::reject},
    {"limit 200, 11 free", "200", "189", PidsVerdict::accept},
    {"limit 200, 10 free", "200", "190", PidsVerdict::reject},
    {"limit 16384, 820 free", "16384", "15564", PidsVerdict::accept},
    {"limit 16384, 819 free", "16384", "15565", PidsVerdict::reject},
};

TEST(ZuulVectors, PidsInTheSameAtEachLevelOrAtOneOnly) {
  for (const PidsRow& row : kPidsRows) {
    const std::map<std::string, std::string> root{{"/pids.max", row.max},
                                                  {"/pids.current", row.current}};
    const std::map<std::string, std::string> user{{"/user.slice/pids.max", row.max},
                                                  {"/user.slice/pids.current", row.current}};
    auto both = root;
    both.insert(user.begin(), user.end());
    EXPECT_EQ(pids_verdict(both), row.verdict) << row.id;
    EXPECT_EQ(pids_verdict(root), row.verdict) << row.id << ", root only (N7 to N9)";
    EXPECT_EQ(pids_verdict(user), row.verdict) << row.id << ", user only (N10 to N12)";
  }
}

TEST(ZuulVectors, PidsThatSluiceDecidesOtherwise) {
  EXPECT_EQ(pids_verdict({}), PidsVerdict::accept)
      << "N13: without a pids cgroup the host's own limit is judged, here with room";
  EXPECT_EQ(pids_verdict({{"/pids.max", "foo"},
                          {"/pids.current", "foo"},
                          {"/user.slice/pids.max", "foo"},
                          {"/user.slice/pids.current", "foo"}}),
            PidsVerdict::failure)
      << "N14: Zuul accepts; what cannot be read must never look like room";
  EXPECT_EQ(pids_verdict({{"/pids.max", "1000"},
                          {"/pids.current", "500"},
                          {"/user.slice/pids.max", "400"},
                          {"/user.slice/pids.current", "10"}}),
            PidsVerdict::accept)
      << "cross-pair: Zuul rejects, as it holds one group's usage against another one's limit";
}

}  // namespace
}  // namespace sluice
