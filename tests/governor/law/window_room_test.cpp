#include "governor/law/window_room.h"

#include <gtest/gtest.h>

#include <vector>

namespace sluice {
namespace {

Room room_of(std::int64_t usage, std::int64_t size, Switch operated = Switch::running,
             std::string_view red = {}) {
  return {Points{usage}, Points{size}, operated, red};
}

TEST(Admission, AdmitsWhileUsageAndCostFitTheWindow) {
  struct Row {
    std::int64_t usage, size, cost;
    bool admitted;
  };
  for (const Row& row : std::vector<Row>{{0, 20, 20, true},
                                         {5, 20, 15, true},
                                         {5, 20, 16, false},
                                         {19, 20, 1, true},
                                         {20, 20, 1, false},
                                         {35, 20, 1, false}}) {
    const auto refusal = refuse(room_of(row.usage, row.size), Points{row.cost});
    EXPECT_EQ(!refusal, row.admitted) << row.usage << "+" << row.cost << " of " << row.size;
  }
}

TEST(Admission, RefusalCarriesTheNumbersOfItsInstant) {
  const auto refusal = refuse(room_of(13, 20), Points{15});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, RefusalCode::window);
  EXPECT_EQ(refusal->binding, "window");
  EXPECT_EQ(refusal->cost, Points{15});
  EXPECT_EQ(refusal->usage, Points{13});
  EXPECT_EQ(refusal->size, Points{20});
  EXPECT_EQ(refusal->ahead, JobId{});
}

TEST(Admission, IdleMachineAdmitsOneJobOfAnyCost) {
  EXPECT_FALSE(refuse(room_of(0, 1), Points{1000}));
  EXPECT_TRUE(refuse(room_of(1, 1), Points{1000}));
}

TEST(Admission, LivenessDoesNotOverruleAClosedGovernor) {
  for (const Switch operated : {Switch::paused, Switch::draining}) {
    EXPECT_TRUE(refuse(room_of(0, 10, operated), Points{1}));
  }
  EXPECT_TRUE(refuse(room_of(0, 10, Switch::running, "load"), Points{1}));
}

TEST(Admission, OperatorsWordComesBeforeTheSensors) {
  const auto drained = refuse(room_of(7, 10, Switch::draining, "load"), Points{2});
  const auto paused = refuse(room_of(7, 10, Switch::paused, "load"), Points{2});
  const auto red = refuse(room_of(7, 10, Switch::running, "load"), Points{2});
  ASSERT_TRUE(drained && paused && red);
  EXPECT_EQ(drained->code, RefusalCode::draining);
  EXPECT_EQ(paused->code, RefusalCode::paused);
  EXPECT_EQ(paused->binding, "pause");
  EXPECT_EQ(red->code, RefusalCode::sensor);
  EXPECT_EQ(red->binding, "load");
  for (const auto& refusal : {*drained, *paused, *red}) EXPECT_EQ(refusal.cost, Points{2});
}

TEST(Admission, RedSensorIsNamedBeforeAFullWindow) {
  EXPECT_EQ(refuse(room_of(10, 10, Switch::running, "disk"), Points{5})->code, RefusalCode::sensor);
}

TEST(Admission, ExecutorIsFullFromUsageEqualToSizeOn) {
  EXPECT_FALSE(full(room_of(0, 10)));
  EXPECT_FALSE(full(room_of(9, 10)));
  EXPECT_EQ(full(room_of(10, 10))->code, RefusalCode::window);
  EXPECT_EQ(full(room_of(30, 10))->code, RefusalCode::window);
  EXPECT_EQ(full(room_of(0, 10, Switch::paused))->code, RefusalCode::paused);
  EXPECT_EQ(full(room_of(0, 10, Switch::running, "load"))->code, RefusalCode::sensor);
}

TEST(Admission, WorstRedSensorIsTheOneOfHighestPressure) {
  const std::vector<JudgedSensor> sensors{{"load", Acts::congestion, true, true, 1.1},
                                          {"memory", Acts::congestion, true, true, 3},
                                          {"disk", Acts::gate, true, true, 2},
                                          {"pids", Acts::gate, false, true, 50}};
  EXPECT_EQ(worst_red(sensors), "memory");
}

TEST(Admission, GreenSensorsLeaveNoWorstRed) {
  const std::vector<JudgedSensor> green{{"load", Acts::congestion, false, true, 0.99}};
  EXPECT_EQ(worst_red(green), "");
  EXPECT_EQ(worst_red({}), "");
}

TEST(Admission, RedByHysteresisIsRedEvenAtNoPressure) {
  const std::vector<JudgedSensor> held{{"load", Acts::congestion, true, false, 0}};
  EXPECT_EQ(worst_red(held), "load");
}

}  // namespace
}  // namespace sluice
