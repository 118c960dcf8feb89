#include "service/jobs/lost_connection.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace sluice {
namespace {
using namespace std::chrono_literals;

constexpr TimePoint kNow{100s};
constexpr GroupKill kJustNow{kNow, kNow};

struct LossCase {
  const char* name;
  std::optional<int> signal;
  std::optional<GroupKill> kill;
  std::optional<TimePoint> last_use;
  Outcome outcome;
};

TEST(LostConnection, ItsOutcomeIsWhatIsKnownOfTheKill) {
  const LossCase cases[] = {
      {"no kill", {}, {}, kNow, Outcome::cancelled},
      {"no kill of the group", SIGKILL, {}, kNow, Outcome::cancelled},
      {"died with the group", SIGKILL, kJustNow, {}, Outcome::oom},
      {"a kill a moment ago", SIGKILL, GroupKill{kNow - 5s, {}}, {}, Outcome::oom},
      {"a kill of long ago", SIGKILL, GroupKill{kNow - 6s, {}}, kNow, Outcome::cancelled},
      {"died otherwise", SIGTERM, kJustNow, kNow, Outcome::unknown},
      {"used memory at the peak", {}, kJustNow, kNow - 2s, Outcome::oom},
      {"or just after it", {}, GroupKill{kNow, kNow - 2s}, kNow, Outcome::oom},
      {"was silent at the peak", {}, kJustNow, kNow - 2001ms, Outcome::unknown},
      {"the peak was long before", {}, GroupKill{kNow, kNow - 3s}, kNow, Outcome::unknown},
      {"never told what it uses", {}, kJustNow, {}, Outcome::unknown},
      {"the kernel tells no peak", {}, GroupKill{kNow, {}}, kNow, Outcome::unknown},
  };
  for (const LossCase& each : cases) {
    const LostHolder holder{kNow, each.signal, each.kill};
    EXPECT_EQ(outcome_of_lost(holder, each.last_use, Outcome::cancelled), each.outcome)
        << each.name;
  }
}

}  // namespace
}  // namespace sluice
