#include <algorithm>
#include <string>

#include "base/values.h"
#include "config/contradictions.h"
#include "config/option_types_queueing.h"
#include "config/schema_sections.h"
#include "config/stored_option.h"
#include "sluice/autoscale.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kMostExecutors = 100'000;

constexpr auto autoscale_option = options_of(
    "autoscale", [](auto& config, const std::string&) -> auto& { return config.autoscale; });

SchemaOption least() {
  SchemaOption option =
      autoscale_option("min", "1", "2", whole_as<int>({0, kMostExecutors}), &AutoscaleOptions::min,
                       "The least number of executors. One, so that the first job of the day does "
                       "not wait for a machine to boot; 0 with `kill_master`.");
  option.settle = [](const Config& config, const std::string&) -> SettledDefault {
    const std::string value = std::to_string(config.autoscale.least());
    return {value, config.autoscale.kill_master ? "default with kill_master" : "default"};
  };
  return option;
}

SchemaOption kill_after() {
  SchemaOption option = autoscale_option(
      "kill_after", "45min", "50min", duration_type({seconds(0), hours(24 * 30)}),
      &AutoscaleOptions::kill_after,
      "An idle executor is removed only when this much of its billing period has passed: the rest "
      "of a paid hour may still be useful, and an executor removed sooner may have to be bought "
      "again. Three quarters of `billing` if that is shorter than an hour.");
  option.settle = [](const Config& config, const std::string&) -> SettledDefault {
    const bool short_period = config.autoscale.due_after() != minutes(45);
    return {print_duration(config.autoscale.due_after()),
            short_period ? "default for this billing" : "default"};
  };
  return option;
}

std::vector<SchemaOption> bounds() {
  return {
      autoscale_option(
          "rules", "window", "starcluster",
          word_type<ScaleRules>(
              {{"window", ScaleRules::window}, {"starcluster", ScaleRules::starcluster}}),
          &AutoscaleOptions::rules,
          "The rules that set the number of executors. `window` divides the demand in points by "
          "the capacity of one window; `starcluster` counts slots and waiting time as "
          "StarCluster's load balancer does, for executors that report no window."),
      least(),
      nullable(autoscale_option("max", "null", "20", whole_as<int>({1, kMostExecutors}),
                                &AutoscaleOptions::max,
                                "The largest number of executors, including draining ones. "
                                "Required: only you know your budget.")),
      autoscale_option("add", "1", "5", whole_as<int>({1, kMostExecutors}), &AutoscaleOptions::add,
                       "At most this many executors are added at once. Adding one at a time, with "
                       "`stabilise` in between, buys the fewest unneeded ones."),
      autoscale_option("kill_master", "false", "true", switch_type(),
                       &AutoscaleOptions::kill_master,
                       "Whether to also remove the last executor when it is the idle master and "
                       "nothing waits. Something else must then start the first one again."),
      nullable(autoscale_option(
          "slots_each", "null", "8", whole_as<int>({1, kMostSlots}), &AutoscaleOptions::slots_each,
          "Slots of a new executor, which say how many are needed (`starcluster`). `null`: the "
          "most frequent number seen, the larger one on a tie.")),
  };
}

std::vector<SchemaOption> autoscale_times() {
  return {
      autoscale_option("interval", "1min", "30s", duration_type({milliseconds(10), seconds(300)}),
                       &AutoscaleOptions::interval,
                       "Time between two decisions. Machines take minutes to boot, and "
                       "observations older than 5min are too old to act on."),
      autoscale_option("wait", "15min", "5min", duration_type({seconds(0), hours(24 * 7)}),
                       &AutoscaleOptions::wait,
                       "An executor is added only when a job has waited longer (`starcluster`). So "
                       "no machine is bought for a queue that is empty by the time it boots."),
      autoscale_option("stabilise", "3min", "5min", duration_type({seconds(0), hours(24)}),
                       &AutoscaleOptions::stabilise,
                       "Minimum time after a change, or after the start, before the next change. A "
                       "new executor must boot and take work before its effect shows."),
      kill_after(),
      autoscale_option("billing", "1h", "0s", duration_type({seconds(0), hours(24 * 30)}),
                       &AutoscaleOptions::billing,
                       "The period for which a started machine is paid. 0s: by the second, and "
                       "`kill_after` then counts from its start."),
      autoscale_option("lookback", "3h", "6h", duration_type({minutes(1), hours(24 * 7)}),
                       &AutoscaleOptions::lookback,
                       "How far back the averages of ended jobs go, and how long windows that "
                       "shrank everywhere at once are compared with their old size (`window`): by "
                       "then an outage is over or permanent."),
  };
}

std::vector<SchemaOption> windows() {
  return {
      autoscale_option("target", "80%", "70%", ratio_type({0, 1, Bound::excluded}),
                       &AutoscaleOptions::target,
                       "The share of the windows that should be in use (`window`). The rest is for "
                       "jobs that arrive while a machine boots, and for the growth of windows."),
      autoscale_option(
          "smooth", "10min", "5min", duration_type({seconds(0), hours(24)}),
          &AutoscaleOptions::smooth,
          "Time constant of the mean window (`window`). A window is cut within a minute and grows "
          "again within ten; machines should not come and go with it."),
      autoscale_option("floor", "10", "40", whole_as<Points>({1, kMostPoints.value}),
                       &AutoscaleOptions::floor,
                       "The least value of the mean window (`window`). It is the default minimum "
                       "of a window, and keeps a collapse from requesting too many executors."),
  };
}

}  // namespace

SchemaSection autoscale_section() {
  return {"autoscale", "",
          "The number of executors that `sluice autoscale` keeps; see autoscaling.md.",
          joined(bounds(), autoscale_times(), windows())};
}

void check_autoscaling(const Config& config, Contradictions& found) {
  AutoscaleOptions options = config.autoscale;
  // A fleet that only keeps its size needs no `max`; `sluice autoscale` requires it.
  if (!options.max) options.max = std::max(1, options.least());
  const auto problem = check_autoscale(options);
  if (!problem) return;
  const std::string path = "autoscale." + problem->field;
  if (found.given(path)) found.add(path, "autoscale." + problem->message);
}

}  // namespace sluice
