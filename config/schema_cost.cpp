#include <string>

#include "config/schema_sections.h"
#include "config/stored_option.h"
#include "sluice/status.h"

namespace sluice {
namespace {

constexpr auto cost_option = options_of(
    "cost", [](auto& config, const std::string&) -> auto& { return config.governing.cost; });

constexpr auto memory_option = options_of(
    "memory",
    [](auto& config, const std::string&) -> auto& { return config.governing.reservation; });

ValueType<Points> cost_type(std::int64_t least) {
  return whole_as<Points>({least, kMostPoints.value});
}

SchemaOption cost_model() {
  using Model = CostOptions::Model;
  SchemaOption option =
      cost_option("model", "history", "formula",
                  word_type<Model>({{"history", Model::history}, {"formula", Model::formula}}),
                  &CostOptions::model,
                  "The model that predicts the needs of a job that does not state them. `history`: "
                  "from earlier runs, or by the formula if there are none; under `law: rfc` the "
                  "default is `formula`, as in the post: base + per_node x inventory, which needs "
                  "no knowledge of the job, and reserves no memory for it.");
  option.settle = [](const Config& config, const std::string&) -> SettledDefault {
    if (config.governing.window.law == Law::rfc) return {"formula", "default for rfc"};
    return {"history", "default"};
  };
  return option;
}

/// The default depends on the control law.
SchemaOption minimum() {
  SchemaOption option = cost_option(
      "minimum", "1", "10", cost_type(1), &CostOptions::minimum,
      "No job is predicted to cost less. The least possible, since `knee` measures what jobs need; "
      "5 under `adaptive` and `rfc`, like `base`, so that jobs without nodes are not free.");
  option.settle = [](const Config& config, const std::string&) -> SettledDefault {
    const Law law = config.governing.window.law;
    if (law == Law::knee) return {"1", "default"};
    return {"5", "default for " + std::string(to_string(law))};
  };
  return option;
}

SchemaSection cost_section() {
  return {"cost",
          "",
          "The expected cost of a job, in points.",
          {cost_model(),
           cost_option("base", "5", "10", cost_type(0), &CostOptions::base,
                       "The cost of every job. Half a busy core, the post's number: a job also "
                       "prepares, clones and waits."),
           cost_option("per_node", "5", "2", cost_type(0), &CostOptions::per_node,
                       "The cost that each node of a job's inventory adds. The post's number: "
                       "every node causes work on this host."),
           minimum()}};
}

SchemaOption brake() {
  using Brake = ReservationOptions::Brake;
  return memory_option(
      "brake", "suspend", "off",
      word_type<Brake>({{"suspend", Brake::suspend}, {"off", Brake::off}}),
      &ReservationOptions::brake,
      "What to do when memory still runs short. `suspend`: Sluice suspends the youngest of the "
      "jobs that it runs itself until the older ones have freed memory, and as a last resort ends "
      "it and queues it again. `off`: nothing; the kernel decides which process it kills.");
}

SchemaOption retries() {
  return memory_option("retries", "1", "0", whole_as<int>({0, 100}), &ReservationOptions::retries,
                       "How often Sluice queues a job again that the brake had to end, if the job "
                       "is marked as one that may run twice. If it ends twice, the prediction is "
                       "wrong, and a third run would not correct it.");
}

SchemaOption enforce() {
  using Enforce = ReservationOptions::Enforce;
  return memory_option(
      "enforce", "off", "max",
      word_type<Enforce>({{"off", Enforce::off}, {"high", Enforce::high}, {"max", Enforce::max}}),
      &ReservationOptions::enforce,
      "The kernel's limit for a job of `sluice run`, `batch` or `demo` in a cgroup of its own: the "
      "need expected from earlier runs, or from its own `memory`, `z` deviations included. `high`: "
      "memory.high, so that it is slowed down (cgroup v2); rejected if there is no swap, since the "
      "job would stall. `max`: memory.max, so that all of it is killed; a job that cannot have a "
      "memory cgroup is refused, and a daemon that can limit none does not start. `off`: no limit, "
      "since a prediction may be wrong.");
}

SchemaSection memory_section() {
  return {
      "memory",
      "",
      "Sluice reserves memory for the expected growth of running jobs; see memory.md. (The "
      "sensor that reads the host's memory is `sensors.memory`.)",
      {memory_option("reserve", "10%", "20%", ratio_type({0, 1, Bound::included, Bound::excluded}),
                     &ReservationOptions::reserve,
                     "Part of every memory limit that is never reserved for jobs. The kernel, its "
                     "caches and other programs need some, too."),
       memory_option("z", "2.33", "3.09", number_type({0, 10}), &ReservationOptions::z,
                     "Deviations reserved in addition to the expected sum. 2.33 is the quantile of "
                     "the normal distribution that one case in a hundred exceeds."),
       memory_option("prior", "512MiB", "2GiB",
                     size_type({Bytes{1}, Bytes{std::uint64_t{1} << 50}}),
                     &ReservationOptions::prior,
                     "Reserved for a job that is measured but still unknown. Enough for most "
                     "compilers and tests; half of it counts as its deviation."),
       brake(), retries(), enforce()}};
}

}  // namespace

std::vector<SchemaSection> cost_sections() { return {cost_section(), memory_section()}; }

}  // namespace sluice
