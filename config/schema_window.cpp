#include "config/schema_sections.h"
#include "config/settled.h"
#include "config/stored_option.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto of_window =
    members_of([](auto& config, const std::string&) -> auto& { return config.governing.window; });

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
             make_option({"window.initial", "15/cpu",
                          "The size at the start, between `minimum` and `maximum`. One and a "
                          "half busy cores for each CPU keep the host busy at once; growth finds "
                          "the rest.",
                          "40"},
                         points_type(), of_window(&WindowOptions::initial))),
      yields(&WindowSizes::minimum,
             make_option({"window.minimum", "10",
                          "The window never gets smaller. One busy core, so that a host under "
                          "pressure still gets work done once it is green again.",
                          "5"},
                         points_type(), of_window(&WindowOptions::minimum))),
      yields(&WindowSizes::maximum,
             make_option({"window.maximum", "100/cpu",
                          "The window never gets larger. A bound in case no sensor ever turns red, "
                          "far above what busy cores need.",
                          "400"},
                         points_type(), of_window(&WindowOptions::maximum))),
      not_for_rfc(yields(
          &WindowSizes::threshold,
          make_option(
              {"window.threshold", "100/cpu",
               "Where the first slow start ends, at most `maximum`. `knee` sees when the cores "
               "are busy, so it ends at `maximum`. 15/cpu under `adaptive`: CI jobs also wait "
               "for disk and network, so half as many more cores may be booked before growth "
               "slows down.",
               "20/cpu"},
              points_type(), of_window(&WindowOptions::threshold)))),
      make_option({"window.step", "10",
                   "Under `rfc` one step of growth and of a cut, under `adaptive` the most that a "
                   "round adds above the threshold. One more busy core at a time can be seen in "
                   "the sensors and undone.",
                   "5"},
                  points_type(), of_window(&WindowOptions::step)),
      make_option({"window.increase_above", "80%",
                   "The window grows only while at least this part of it is in use (under `rfc`: "
                   "more than this part). Unused growth would prove nothing about the host.",
                   "90%"},
                  ratio_type({0, 1, Bound::excluded}), of_window(&WindowOptions::increase_above)),
  };
}

std::vector<SchemaOption> window_times() {
  return {
      make_option({"window.interval", "1s",
                   "Time between two checks of the sensors. A check takes microseconds, and one "
                   "second stops admission long before a host is in trouble.",
                   "5s"},
                  duration_type({milliseconds(10), hours(1)}), of_window(&WindowOptions::interval)),
      not_for_rfc(make_option({"window.round", "15s",
                               "Time for a change of the window to take effect before the next "
                               "growth. Pressure averages over 10s, and load takes as long to "
                               "change.",
                               "30s"},
                              duration_type({milliseconds(10), hours(24)}),
                              of_window(&WindowOptions::round))),
      not_for_rfc(make_option(
          {"window.cut_settle", "1min",
           "At most one cut in this time, however many sensors are red. The load average takes a "
           "minute to forget what ran, and would ask for the same cut again.",
           "2min"},
          duration_type({seconds(0), hours(24)}), of_window(&WindowOptions::cut_settle))),
      not_for_rfc(make_option(
          {"window.cut_gain", "0.5",
           "How much of the window is cut away for each unit of pressure above 1. At 0.5 a sensor "
           "20% over its limit takes a tenth; one cut never takes more than half.",
           "1"},
          number_type({0, 1, Bound::excluded}), of_window(&WindowOptions::cut_gain))),
      not_for_rfc(make_option(
          {"window.hard", "1.2",
           "From this pressure on, a cut need not wait until the last one has taken effect. A "
           "fifth over the limit is more than noise.",
           "1.5"},
          number_type({1, 100}), of_window(&WindowOptions::hard))),
      not_for_rfc(make_option(
          {"window.idle_restart", "10min",
           "After this time without any usage the window goes back to `initial`, if it is larger. "
           "By then the learned size is stale, as in TCP.",
           "1h"},
          duration_type({seconds(1), hours(24 * 30)}), of_window(&WindowOptions::idle_restart))),
      make_option({"window.dwell", "1s",
                   "A host that has stopped taking work from its sources stays away at least "
                   "this long. Otherwise it would register and deregister with every job when "
                   "the window is nearly full.",
                   "10s"},
                  duration_type({seconds(0), hours(24)}), of_window(&WindowOptions::dwell)),
  };
}

}  // namespace

SchemaSection window_section() {
  SchemaSection section{"window",
                        "",
                        "The most points that may be in use at once, and how that limit moves. 10 "
                        "points are about one busy core.",
                        {}};
  section.options.push_back(make_option(
      {"window.law", "knee",
       "The control law. `knee` sizes the window four times a second by how busy the CPUs are "
       "and how many tasks wait for one, and charges jobs what they are measured to need; if CPU "
       "time cannot be measured, it decides like `adaptive`. `adaptive` uses only the sensors, "
       "in rounds of 15s. `rfc` is the law of the mailing-list post that Sluice is based on.",
       "adaptive"},
      word_type<Law>({{"adaptive", Law::adaptive}, {"knee", Law::knee}, {"rfc", Law::rfc}}),
      of_window(&WindowOptions::law)));
  for (SchemaOption& option : sizes()) section.options.push_back(std::move(option));
  for (SchemaOption& option : window_times()) section.options.push_back(std::move(option));
  return section;
}

}  // namespace sluice
