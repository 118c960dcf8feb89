#include "service/http/connection_places.h"

#include <gtest/gtest.h>

namespace sluice::http {
namespace {

struct PlacesCase {
  const char* name;
  PeerKind peer;
  std::size_t open, held;
  Vacancy vacancy;
};

class ConnectionPlaces : public ::testing::TestWithParam<PlacesCase> {};

TEST_P(ConnectionPlaces, LeaveTheLastQuarterToUsersWhoHoldLittle) {
  const PlacesCase& given = GetParam();
  EXPECT_EQ(vacancy_for(given.peer, {1024, 32, given.open, given.held}), given.vacancy);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ConnectionPlaces,
    ::testing::Values(
        PlacesCase{"AloneBelowTheLastQuarter", PeerKind::ordinary, 767, 767, Vacancy::free},
        PlacesCase{"AloneInTheLastQuarter", PeerKind::ordinary, 768, 768, Vacancy::for_other_users},
        PlacesCase{"OverAQuarterInTheLast", PeerKind::ordinary, 800, 257, Vacancy::for_other_users},
        PlacesCase{"JustAQuarterInTheLast", PeerKind::ordinary, 800, 256, Vacancy::free},
        PlacesCase{"NothingInTheLastQuarter", PeerKind::ordinary, 991, 0, Vacancy::free},
        PlacesCase{"NothingWhenTheRestIsKept", PeerKind::ordinary, 992, 0, Vacancy::none},
        PlacesCase{"AllWhenTheRestIsKept", PeerKind::ordinary, 992, 992, Vacancy::none},
        PlacesCase{"TrustedWithAll", PeerKind::trusted, 1023, 1023, Vacancy::free},
        PlacesCase{"TrustedWhenFull", PeerKind::trusted, 1024, 0, Vacancy::none}),
    [](const auto& each) { return each.param.name; });

TEST(ConnectionPlacesOfFew, AreAllReservedIfMoreAreKeptThanThereAre) {
  EXPECT_EQ(vacancy_for(PeerKind::ordinary, {4, 5, 0, 0}), Vacancy::none);
  EXPECT_EQ(vacancy_for(PeerKind::trusted, {4, 5, 3, 3}), Vacancy::free);
}

TEST(ConnectionPlacesOfFew, HaveNoQuarterToLeaveBelowFour) {
  EXPECT_EQ(vacancy_for(PeerKind::ordinary, {3, 0, 2, 2}), Vacancy::free);
}

TEST(ShareSentence, NamesTheUserAndWhatItHolds) {
  EXPECT_EQ(share_sentence(1000, {1024, 32, 800, 768}), "user 1000 holds 768 of 1024 connections");
  EXPECT_EQ(share_sentence(std::nullopt, {8, 0, 6, 6}), "unknown users hold 6 of 8 connections");
}

}  // namespace
}  // namespace sluice::http
