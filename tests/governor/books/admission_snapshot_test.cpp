#include "governor/books/admission_snapshot.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(AdmissionSnapshot, EveryFieldSurvivesPackingIndependently) {
  const std::int64_t points[] = {0, 1, 12345, kMostPoints.value};
  for (const std::int64_t usage : points) {
    for (const std::int64_t size : points) {
      for (const auto closed_by :
           {AdmissionSnapshot::ClosedBy::open, AdmissionSnapshot::ClosedBy::sensor,
            AdmissionSnapshot::ClosedBy::paused, AdmissionSnapshot::ClosedBy::draining,
            AdmissionSnapshot::ClosedBy::queue}) {
        for (const std::uint16_t name :
             {std::uint16_t{0}, std::uint16_t{1}, AdmissionSnapshot::kMostNames}) {
          const AdmissionSnapshot snapshot =
              unpack(pack({Points{usage}, Points{size}, closed_by, name}));
          EXPECT_EQ(snapshot.usage, Points{usage});
          EXPECT_EQ(snapshot.size, Points{size});
          EXPECT_EQ(snapshot.closed_by, closed_by);
          EXPECT_EQ(snapshot.name, name);
        }
      }
    }
  }
}

TEST(AdmissionSnapshot, EmptySnapshotIsTheZeroWord) { EXPECT_EQ(pack(AdmissionSnapshot{}), 0u); }

}  // namespace
}  // namespace sluice
