#include "config/schema_sections.h"
#include "config/settled.h"
#include "config/stored_option.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto window_option = options_of(
    "window", [](auto& config, const std::string&) -> auto& { return config.governing.window; });

SchemaOption not_for_rfc(SchemaOption option) {
  option.unused_by_rfc = true;
  return option;
}

/// Makes the option's default yield to given values.
SchemaOption yields(PointsSpec WindowSizes::*part, SchemaOption option) {
  option.settle = [part, fallback = option.text.fallback](const Config& config,
                                                          const std::string&) {
    return settled_window_default(config, part, fallback);
  };
  return option;
}

std::vector<SchemaOption> sizes() {
  return {
      yields(&WindowSizes::initial,
             window_option(
                 "initial", "15/cpu", "40", points_type(), &WindowOptions::initial,
                 "The size at the start, between `minimum` and `maximum`. One and a half busy "
                 "cores for each CPU keep the host busy at once; growth finds the rest.")),
      yields(&WindowSizes::minimum,
             window_option("minimum", "10", "5", points_type(), &WindowOptions::minimum,
                           "The window never gets smaller. One busy core, so that a host under "
                           "pressure still gets work done once it is green again.")),
      yields(&WindowSizes::maximum,
             window_option("maximum", "100/cpu", "400", points_type(), &WindowOptions::maximum,
                           "The window never gets larger. A bound in case no sensor ever turns "
                           "red, far above what busy cores need.")),
      not_for_rfc(yields(
          &WindowSizes::threshold,
          window_option(
              "threshold", "100/cpu", "20/cpu", points_type(), &WindowOptions::threshold,
              "Where the first slow start ends, at most `maximum`. `knee` sees when the cores are "
              "busy, so it ends at `maximum`. 15/cpu under `adaptive`: CI jobs also wait for disk "
              "and network, so half as many more cores may be booked before growth slows down."))),
      window_option("step", "10", "5", points_type(), &WindowOptions::step,
                    "The most that one growth adds above the threshold, and under `rfc` one step "
                    "of growth and of a cut. One more busy core at a time can be seen in the "
                    "sensors and undone."),
      window_option("increase_above", "80%", "90%", ratio_type({0, 1, Bound::excluded}),
                    &WindowOptions::increase_above,
                    "The part of the window that must be in use before it grows. Under `rfc`: more "
                    "than this part. Under `adaptive`: at least this part while jobs wait, unless "
                    "one of them has found no room. Unused growth would prove nothing about the "
                    "host. `knee` looks at the CPUs instead."),
  };
}

std::vector<SchemaOption> window_times() {
  return {
      window_option("interval", "1s", "5s", duration_type({milliseconds(10), hours(1)}),
                    &WindowOptions::interval,
                    "Time between two checks of the sensors. A check takes microseconds, and one "
                    "second stops admission long before a host is in trouble."),
      not_for_rfc(
          window_option("round", "15s", "30s", duration_type({milliseconds(10), hours(24)}),
                        &WindowOptions::round,
                        "Under `adaptive`, time for a change of the window to take effect before "
                        "the next growth. Pressure averages over 10s, and load takes as long to "
                        "change. `knee` needs it only while it cannot measure CPU time.")),
      not_for_rfc(window_option(
          "cut_settle", "1min", "2min", duration_type({seconds(0), hours(24)}),
          &WindowOptions::cut_settle,
          "At most one cut in this time, however many sensors are red. The load average takes a "
          "minute to forget what ran, and would ask for the same cut again.")),
      not_for_rfc(window_option(
          "cut_gain", "0.5", "1", number_type({0, 1, Bound::excluded}), &WindowOptions::cut_gain,
          "How much of the window is cut away for each unit of pressure above 1. At 0.5 a sensor "
          "20% over its limit takes a tenth; one cut never takes more than half.")),
      not_for_rfc(window_option("hard", "1.2", "1.5", number_type({1, 100}), &WindowOptions::hard,
                                "From this pressure on, a cut need not wait until the last one has "
                                "taken effect. A fifth over the limit is more than noise.")),
      not_for_rfc(
          window_option("idle_restart", "10min", "1h", duration_type({seconds(1), hours(24 * 30)}),
                        &WindowOptions::idle_restart,
                        "Under `adaptive`, after this time without any usage the window goes back "
                        "to `initial`, if it is larger. By then the learned size is stale, as in "
                        "TCP. `knee` needs it only while it cannot measure CPU time: otherwise, a "
                        "window that jobs do not use falls within seconds.")),
      window_option("dwell", "1s", "10s", duration_type({seconds(0), hours(24)}),
                    &WindowOptions::dwell,
                    "A host that has stopped taking work from its sources stays away at least this "
                    "long. Otherwise it would register and deregister with every job when the "
                    "window is nearly full."),
  };
}

std::vector<SchemaOption> law() {
  return {window_option(
      "law", "knee", "adaptive",
      word_type<Law>({{"adaptive", Law::adaptive}, {"knee", Law::knee}, {"rfc", Law::rfc}}),
      &WindowOptions::law,
      "The control law. `knee` sizes the window four times a second by how busy the CPUs are and "
      "how many tasks wait for one, and charges jobs what they are measured to need; if CPU time "
      "cannot be measured, it decides like `adaptive`. `adaptive` uses only the sensors, in rounds "
      "of 15s. `rfc` is the law of the mailing-list post that Sluice is based on.")};
}

}  // namespace

SchemaSection window_section() {
  return {"window", "",
          "The most points that may be in use at once, and how that limit moves. 10 points are "
          "about one busy core.",
          joined(law(), sizes(), window_times())};
}

}  // namespace sluice
