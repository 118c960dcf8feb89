#include "service/jobs/lease_recovery.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {
using namespace std::chrono_literals;
using Boot = StoredState::Boot;
using Hold = StoredLease::Hold;

constexpr LeaseProcess kProcess{42, 1000};

struct Case {
  const char* name;
  bool runs;
  Hold hold;
  std::optional<LeaseProcess> process;
  Boot boot;
  std::uint64_t started;
  std::optional<LeaseEnd> end;
};

TEST(LeaseRecovery, IsDecidedByWhatTheLeaseHangsOn) {
  const Case cases[] = {
      {"the process lives", true, Hold::none, kProcess, Boot::same, 1000, {}},
      {"the process is gone", true, Hold::none, kProcess, Boot::same, 0, LeaseEnd::process},
      {"its number is another's", true, Hold::none, kProcess, Boot::same, 1001, LeaseEnd::process},
      {"of a pending one, too", false, Hold::none, kProcess, Boot::same, 1001, LeaseEnd::process},
      {"the process decides", true, Hold::connection, kProcess, Boot::same, 1000, {}},
      {"another boot", true, Hold::none, kProcess, Boot::other, 1000, LeaseEnd::process},
      {"pending, another boot", false, Hold::none, kProcess, Boot::other, 1000, LeaseEnd::process},
      {"connection", true, Hold::connection, {}, Boot::same, 0, LeaseEnd::connection},
      {"pending, connection", false, Hold::connection, {}, Boot::same, 0, LeaseEnd::connection},
      {"heartbeat", true, Hold::none, {}, Boot::same, 0, {}},
      {"heartbeat, another boot", true, Hold::none, {}, Boot::other, 0, LeaseEnd::process},
      {"pending, heartbeat, another boot", false, Hold::none, {}, Boot::other, 0, {}},
      {"unknown start", true, Hold::none, LeaseProcess{42, 0}, Boot::same, 0, LeaseEnd::process},
  };
  for (const Case& each : cases) {
    StoredJob job;
    if (each.runs) job.job.admitted = TimePoint(1s);
    job.lease.hold = each.hold;
    job.lease.process = each.process;
    EXPECT_EQ(end_while_away(job, each.boot, each.started), each.end) << each.name;
  }
}

TEST(LeaseRecovery, ADeadlineCountsOnButLeavesHalfAHeartbeat) {
  StoredLease lease;
  lease.heartbeat = 60s;
  lease.renewed = TimePoint(100s);
  EXPECT_EQ(deadline_after(lease, Boot::same, TimePoint(110s)), TimePoint(160s));
  EXPECT_EQ(deadline_after(lease, Boot::same, TimePoint(150s)), TimePoint(180s));
  EXPECT_EQ(deadline_after(lease, Boot::same, TimePoint(900s)), TimePoint(930s));
  EXPECT_EQ(deadline_after(lease, Boot::other, TimePoint(5s)), TimePoint(65s));
  EXPECT_EQ(deadline_after(lease, Boot::same, TimePoint(5s)), TimePoint(65s)) << "never longer";
}

}  // namespace
}  // namespace sluice
