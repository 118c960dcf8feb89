#include "governor/arrival_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace sluice {
namespace {

TEST(ArrivalLine, GivesPlacesInOrderOfArrival) {
  ArrivalLine line;
  for (const std::uint64_t id : {3, 5, 9}) line.append(JobId{id});
  EXPECT_EQ(line.place(JobId{9}), 3u);
  line.remove(JobId{5});
  EXPECT_EQ(line.place(JobId{9}), 2u);
  line.remove(JobId{3});
  EXPECT_EQ(line.first(), JobId{9});
  EXPECT_EQ(line.size(), 1u);
}

TEST(ArrivalLine, AgreesWithAPlainListThroughAnyHistory) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    ArrivalLine line;
    std::vector<JobId> plain;
    std::uint64_t last = 0;
    // Growing and shrinking turn about, so that sweeps happen.
    for (int step = 0; step < 2000; ++step) {
      const bool grows = random() % 100 < (step / 500 % 2 == 0 ? 70u : 30u);
      if (grows || plain.empty()) {
        last += 1 + random() % 3;
        line.append(JobId{last});
        plain.push_back(JobId{last});
      } else {
        const std::size_t at = random() % 4 == 0 ? random() % plain.size() : 0;
        line.remove(plain[at]);
        plain.erase(plain.begin() + static_cast<std::ptrdiff_t>(at));
      }
      ASSERT_EQ(line.size(), plain.size());
      if (plain.empty()) continue;
      ASSERT_EQ(line.first(), plain.front());
      const std::size_t some = random() % plain.size();
      ASSERT_EQ(line.place(plain[some]), some + 1);
    }
    std::vector<JobId> seen;
    line.for_each([&](JobId id) { seen.push_back(id); });
    EXPECT_EQ(seen, plain);
  }
}

}  // namespace
}  // namespace sluice
