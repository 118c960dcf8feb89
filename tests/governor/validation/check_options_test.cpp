#include "governor/validation/check_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "live_fakes.h"

namespace sluice {
namespace {

struct Row {
  std::string names;  ///< What the message must name.
  std::function<void(GovernorOptions&, std::vector<Sensor>&, CostModel&)> spoil;
};

GovernorOptions good_options() {
  GovernorOptions options;
  options.window.interval = std::chrono::seconds(1);
  return options;
}

std::vector<Sensor> good_sensors() {
  return {fakes::Dial().sensor("load"), fakes::Dial().sensor("licences_2")};
}

/// The message of the check; empty if it passes.
std::string complaint(const GovernorOptions& options, const std::vector<Sensor>& sensors,
                      const CostModel& cost_model) {
  try {
    check_options(options, sensors, cost_model);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(CheckOptions, TakesTheDefaults) {
  EXPECT_EQ(complaint(good_options(), good_sensors(), fakes::flat(1)), "");
}

TEST(CheckOptions, NamesTheFieldThatIsOutOfRange) {
  const std::vector<Row> rows{
      {"window.minimum", [](auto& o, auto&, auto&) { o.window.minimum = Points{0}; }},
      {"window.minimum", [](auto& o, auto&, auto&) { o.window.minimum = Points{101}; }},
      {"window.maximum", [](auto& o, auto&, auto&) { o.window.maximum = kMostPoints + Points{1}; }},
      {"window.initial", [](auto& o, auto&, auto&) { o.window.initial = Points{9}; }},
      {"window.initial", [](auto& o, auto&, auto&) { o.window.initial = Points{101}; }},
      {"window.step", [](auto& o, auto&, auto&) { o.window.step = Points{0}; }},
      {"window.increase_above", [](auto& o, auto&, auto&) { o.window.increase_above = 0; }},
      {"window.increase_above", [](auto& o, auto&, auto&) { o.window.increase_above = 1.01; }},
      {"window.interval", [](auto& o, auto&, auto&) { o.window.interval = Duration{0}; }},
      {"window.round", [](auto& o, auto&, auto&) { o.window.round = Duration{-1}; }},
      {"window.cut_settle", [](auto& o, auto&, auto&) { o.window.cut_settle = Duration{-1}; }},
      {"window.idle_restart", [](auto& o, auto&, auto&) { o.window.idle_restart = Duration{-1}; }},
      {"window.dwell", [](auto& o, auto&, auto&) { o.window.dwell = Duration{-1}; }},
      {"window.cut_gain", [](auto& o, auto&, auto&) { o.window.cut_gain = 0; }},
      {"window.cut_gain", [](auto& o, auto&, auto&) { o.window.cut_gain = 1.5; }},
      {"window.hard", [](auto& o, auto&, auto&) { o.window.hard = 0.99; }},
      {"starting", [](auto& o, auto&, auto&) { o.starting_most = 0; }},
      {"starting", [](auto& o, auto&, auto&) { o.starting_floor = 0; }},
      {"least_cost", [](auto& o, auto&, auto&) { o.least_cost = Points{0}; }},
      {"cost", [](auto&, auto&, auto& model) { model = nullptr; }},
      {"sensors.load", [](auto&, auto& s, auto&) { s[1].name = "load"; }},
      {"sensors.pause", [](auto&, auto& s, auto&) { s[1].name = "pause"; }},
      {"sensors.starting", [](auto&, auto& s, auto&) { s[1].name = "starting"; }},
      {"sensors.Load", [](auto&, auto& s, auto&) { s[0].name = "Load"; }},
      {"sensors.", [](auto&, auto& s, auto&) { s[0].name = ""; }},
      {"sensors.load", [](auto&, auto& s, auto&) { s[0].measure = nullptr; }},
      {"sensors.load.resume", [](auto&, auto& s, auto&) { s[0].policy.resume = 0; }},
      {"sensors.load.resume", [](auto&, auto& s, auto&) { s[0].policy.resume = 1.1; }},
      {"sensors.load.max_age", [](auto&, auto& s, auto&) { s[0].policy.max_age = Duration{0}; }},
  };
  for (const Row& row : rows) {
    GovernorOptions options = good_options();
    std::vector<Sensor> sensors = good_sensors();
    CostModel cost_model = fakes::flat(1);
    row.spoil(options, sensors, cost_model);
    EXPECT_NE(complaint(options, sensors, cost_model).find(row.names), std::string::npos)
        << row.names << ": " << complaint(options, sensors, cost_model);
  }
}

TEST(CheckOptions, NamesTheOptionOfMemoryThatIsOutOfRange) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using Spoil = std::function<void(ReservationOptions&)>;
  const std::pair<std::string, Spoil> rows[] = {
      {"reservation.reserve", [](auto& r) { r.reserve = NAN; }},
      {"reservation.reserve", [](auto& r) { r.reserve = 1; }},
      {"reservation.reserve", [](auto& r) { r.reserve = -0.01; }},
      {"reservation.z", [](auto& r) { r.z = NAN; }},
      {"reservation.z", [](auto& r) { r.z = -0.01; }},
      {"reservation.z", [](auto& r) { r.z = kInfinity; }},
      {"reservation.prior", [](auto& r) { r.prior = Bytes{0}; }},
      {"reservation.prior", [](auto& r) { r.prior = Bytes{~std::uint64_t{0}}; }},
      {"reservation.retries", [](auto& r) { r.retries = -1; }},
      {"reservation.retries", [](auto& r) { r.retries = 101; }},
  };
  for (const auto& [names, spoil] : rows) {
    GovernorOptions options = good_options();
    spoil(options.reservation);
    EXPECT_TRUE(complaint(options, {}, fakes::flat(1)).starts_with(names))
        << names << ": " << complaint(options, {}, fakes::flat(1));
  }
}

TEST(CheckOptions, LimitsThemselvesAreAllowed) {
  GovernorOptions options = good_options();
  options.window.minimum = options.window.initial = Points{1};
  options.window.maximum = kMostPoints;
  options.window.step = Points{1};
  options.window.increase_above = options.window.cut_gain = options.window.hard = 1;
  options.window.round = options.window.cut_settle = options.window.dwell = Duration{0};
  options.window.interval = std::chrono::milliseconds(1);
  options.starting_most = options.starting_floor = 1;
  options.reservation.reserve = options.reservation.z = 0;
  options.reservation.prior = Bytes{1};
  options.reservation.retries = 0;
  std::vector<Sensor> sensors = good_sensors();
  sensors[0].policy.resume = 1;
  sensors[0].policy.max_age = Duration{1};
  EXPECT_EQ(complaint(options, sensors, fakes::flat(1)), "");
  options.window.interval = std::chrono::hours(1);
  EXPECT_EQ(complaint(options, sensors, fakes::flat(1)), "");
}

TEST(CheckOptions, AnIntervalThatWouldKeepACoreBusyIsRefused) {
  const Duration too_short = std::chrono::milliseconds(1) - Duration{1};
  const Duration too_long = std::chrono::hours(1) + Duration{1};
  for (const Duration interval : {Duration{1}, too_short, too_long, Duration::max()}) {
    GovernorOptions options = good_options();
    options.window.interval = interval;
    EXPECT_TRUE(complaint(options, {}, fakes::flat(1)).starts_with("window.interval"))
        << interval.count();
  }
}

}  // namespace
}  // namespace sluice
