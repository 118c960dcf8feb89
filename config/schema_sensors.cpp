#include "config/schema_sensors.h"

#include <chrono>
#include <utility>

#include "config/option_types_queueing.h"
#include "config/settled.h"

namespace sluice {
namespace {

/// A member of one of the sensors in `SensorOptions`.
template <typename Sensor, typename Part>
auto part_of(Sensor SensorOptions::*sensor, Part part) {
  return [ sensor, part ](auto& config, const std::string&) -> auto& {
    return (config.governing.sensors.*sensor).*part;
  };
}

SchemaOption presence_option(const std::string& sensor, const std::string& fallback,
                             ConfigPlace<Presence> presence) {
  SchemaOption option =
      make_option({sensor + ".presence", fallback,
                   "Whether the sensor is present; `NAME: off` and `NAME: on` are short for it. "
                   "`automatic`, the default: where it makes sense on this host.",
                   "on"},
                  presence_type(), std::move(presence));
  option.common = true;
  return option;
}

ValueType<double> most_ratio() { return ratio_type({0, 1, Bound::excluded}); }

/// For values that must not fall below a limit: at 100% the host would never be green.
ValueType<double> least_ratio() { return ratio_type({0, 1, Bound::included, Bound::excluded}); }

/// A sensor with its `limit` and the common options.
SchemaSection built_in(const std::string& name, const ConfigPlace<SensorSettings>& settings,
                       std::string doc, const CommonSensorDefaults& defaults,
                       ValueType<double> limit_type, OptionText limit) {
  const std::string path = "sensors." + name;
  limit.path = path + ".limit";
  return {path, "", std::move(doc),
          joined(std::vector{make_option(std::move(limit), std::move(limit_type),
                                         member_of(settings, &SensorSettings::limit))},
                 common_sensor_options(path, defaults, settings))};
}

template <typename Sensor>
SchemaSection built_in(const std::string& name, Sensor SensorOptions::*sensor, std::string doc,
                       const CommonSensorDefaults& defaults, ValueType<double> limit_type,
                       OptionText limit) {
  const auto settings = [sensor](auto& config, const std::string&) -> auto& {
    return config.governing.sensors.*sensor;
  };
  return built_in(name, ConfigPlace<SensorSettings>{settings, settings}, std::move(doc), defaults,
                  std::move(limit_type), std::move(limit));
}

/// Inserts an option of this sensor only, right after its limit.
void add_own(SchemaSection& section, SchemaOption option) {
  section.options.insert(section.options.begin() + 1, std::move(option));
}

SchemaSection load_section() {
  return built_in(
      "load", &SensorOptions::load,
      "The one-minute load average for each online CPU. Automatic: off if affinity or a quota "
      "allows fewer CPUs, even with a limit, because the load is that of the whole host; "
      "`presence: on` keeps it.",
      {.acts = "congestion"}, number_type({0, 10000, Bound::excluded}),
      {"", "2.5",
       "Red above this load for each CPU. Jobs that clone and wait count as load without keeping "
       "a core busy; 2.5 is what Zuul's executors have long used.",
       "1.5"});
}

SchemaSection cpu_pressure_section() {
  SchemaSection section = built_in(
      "cpu_pressure", &SensorOptions::cpu_pressure,
      "Share of the time in which some task waited for a CPU (PSI). Automatic: on if it has a "
      "limit.",
      {.acts = "congestion"}, most_ratio(),
      {"", "null",
       "Red above this part of the time. None, and so no sensor, because no benchmark has shown a "
       "good one yet: on a busy CPU some tasks always wait.",
       "80%"});
  section.options.front().null = Null::fallback;
  return section;
}

SchemaSection memory_sensor_section() {
  return built_in("memory", &SensorOptions::memory,
                  "Memory that is available without swapping, on the whole host.",
                  {.acts = "congestion"}, least_ratio(),
                  {"", "5%",
                   "Red when less than this part is available. Below it the kernel begins to "
                   "evict pages that running jobs need.",
                   "10%"});
}

SchemaSection memory_pressure_section() {
  SchemaSection section =
      built_in("memory_pressure", &SensorOptions::memory_pressure,
               "Share of the last 10 seconds lost to waiting for memory (PSI).",
               {.acts = "congestion"}, most_ratio(),
               {"", "20%",
                "Red when some tasks waited more than this. Occasional reclaim stays well below; "
                "a host that swaps does not.",
                "10%"});
  add_own(section,
          make_option({"sensors.memory_pressure.full", "10%",
                       "Red when all tasks at once waited more than this. Time in which nothing "
                       "runs is lost, hence half of `limit`.",
                       "5%"},
                      most_ratio(),
                      part_of(&SensorOptions::memory_pressure, &MemoryPressureOptions::full)));
  return section;
}

SchemaSection io_pressure_section() {
  return built_in(
      "io_pressure", &SensorOptions::io_pressure,
      "Share of the last 10 seconds in which all tasks waited for disks (PSI).",
      {.acts = "congestion"}, most_ratio(),
      {"", "40%", "Red above this. Builds that clone and unpack often wait for disks without harm.",
       "60%"});
}

/// The options that make a daemon a sidecar: which cgroup it judges.
std::vector<SchemaOption> executor_options() {
  using Source = ExecutorOptions::Source;
  using From = ExecutorOptions::From;
  const auto executor_option = options_of(
      "sensors.cgroup",
      [](auto& config, const std::string&) -> auto& { return config.service.executor; });
  return {
      executor_option(
          "source", "own", "attach",
          word_type<Source>({{"own", Source::own},
                             {"auto", Source::automatic},
                             {"attach", Source::attach},
                             {"procroot", Source::procroot},
                             {"hostpath", Source::hostpath},
                             {"downward", Source::downward},
                             {"config", Source::config}}),
          &ExecutorOptions::source,
          "The cgroup that `sluice serve` watches. `own`: the one in which it runs itself, because "
          "its jobs run there too. Beside an executor in another container of the pod: `attach`, "
          "the one that `sluice attach` sends from there; `procroot`, that of `process`; "
          "`hostpath`, found below `hierarchy`; `downward`, the limits in `podinfo`; `config`, "
          "those in `memory` and `cpus`; `auto`, the first of these that exists, in this order. "
          "Until one exists, no job is admitted. Read at the start only."),
      executor_option(
          "attach_from", "pod", "anywhere",
          word_type<From>({{"pod", From::pod}, {"anywhere", From::anywhere}}),
          &ExecutorOptions::attach_from,
          "The clients that may attach, if the socket lets them in: `pod`, processes in the "
          "daemon's network namespace, which the containers of a pod share; or `anywhere`. "
          "Processes of other pods must not attach. Read at the start only."),
      nullable(executor_option("process", "null", "zuul-executor", name_type(),
                               &ExecutorOptions::process,
                               "For `procroot` and `hostpath`: the name of the executor's process "
                               "(`comm`, at most 15 bytes), where the pod shares its processes. "
                               "`null`: not known. Read at the start only.")),
      nullable(executor_option("hierarchy", "null", "/host/sys/fs/cgroup", path_type(kLongestPath),
                               &ExecutorOptions::hierarchy,
                               "For `hostpath`: where the host's `/sys/fs/cgroup` is mounted. "
                               "`null`: nowhere. Read at the start only.")),
      nullable(executor_option(
          "podinfo", "null", "/etc/podinfo", path_type(kLongestPath), &ExecutorOptions::podinfo,
          "For `downward`: a folder with the files `memory_limit` (bytes) and `cpu_limit` "
          "(thousandths of a CPU) of the downward API. `null`: none. Read at the start only.")),
      nullable(executor_option(
          "memory", "null", "8GiB", size_type({Bytes{1}, Bytes{std::uint64_t{1} << 60}}),
          &ExecutorOptions::memory,
          "For `config`: the executor's memory limit. `null`: unlimited. Read at the start only.")),
      nullable(executor_option("cpus", "null", "3.5", number_type({0, 100000, Bound::excluded}),
                               &ExecutorOptions::cpus,
                               "For `config`: the number of CPUs that the executor may use. "
                               "`null`: all. Read at the start only."))};
}

/// The default depends on the control law.
SchemaOption throttled_option() {
  SchemaOption option =
      make_option({"sensors.cgroup.throttled", "50%",
                   "Red when the CPU quota stopped the group in more than this part of its "
                   "periods. A busy build sometimes reaches its quota; half the time means that "
                   "the quota is its bottleneck. `knee` measures that by the CPU time, so under "
                   "`knee` there is no limit unless you give one.",
                   "25%"},
                  most_ratio(), part_of(&SensorOptions::cgroup, &CgroupOptions::throttled));
  option.settle = [](const Config& config, const std::string&) -> SettledDefault {
    const bool by_cpu = config.governing.window.law == Law::knee;
    return {"50%", by_cpu ? "default, unused by knee" : "default"};
  };
  return option;
}

SchemaSection cgroup_section() {
  SchemaSection section =
      built_in("cgroup", &SensorOptions::cgroup,
               "The limits of the cgroup in which this host's jobs run, and of its ancestors: "
               "memory working set and CPU throttling, v1 and v2. If `source` is not `own`, the "
               "default of `on_error` is `red`: use that the daemon cannot see must not look like "
               "free room.",
               {.acts = "congestion"}, most_ratio(),
               {"", "95%",
                "Red when more than this part of the memory limit is in use. At the limit the "
                "kernel kills, so the rest is for running jobs.",
                "90%"});
  add_own(section, throttled_option());
  for (SchemaOption& option : executor_options()) section.options.push_back(std::move(option));
  return section;
}

SchemaSection disk_section() {
  SchemaSection section =
      built_in("disk", &SensorOptions::disk,
               "Free space and free inodes, read every 5s on a separate thread, because a lost "
               "network disk may hang.",
               {.acts = "gate", .max_age = "15s"}, least_ratio(),
               {"", "5%",
                "Red when less than this part of the space or of the inodes is free. As much as "
                "file systems commonly reserve.",
                "10%"});
  add_own(section, nullable(make_option(
                       {"sensors.disk.paths", "null",
                        "Folders whose file systems are watched. `null`: `/`, the temporary "
                        "folder and `state_dir`, which is where jobs write on most hosts. To "
                        "watch none, write `disk: off`.",
                        "[/var/lib/sluice]"},
                       path_list_type(), part_of(&SensorOptions::disk, &DiskOptions::paths))));
  add_own(
      section,
      make_option({"sensors.disk.limits", "{}",
                   "Folders with a limit other than `limit`; they are watched as well. For file "
                   "systems on which another program, such as the kubelet, enforces limits of "
                   "its own.",
                   "{/var/lib/sluice: 15%}"},
                  path_ratios_type({0, 1, Bound::excluded, Bound::excluded}),
                  part_of(&SensorOptions::disk, &DiskOptions::limits)));
  return section;
}

SchemaSection pids_section() {
  SchemaSection section =
      built_in("pids", &SensorOptions::pids,
               "Processes that may still be started, in the cgroup and on the host.",
               {.acts = "gate"}, least_ratio(),
               {"", "5%",
                "Red when no more than this part of the maximum is left. A job that cannot fork "
                "fails through no fault of its own.",
                "10%"});
  add_own(
      section,
      make_option({"sensors.pids.headroom", "10",
                   "Also red when no more than this many are left. 5% of a small limit is less "
                   "than one job needs.",
                   "100"},
                  whole_type({0, 1 << 22}), part_of(&SensorOptions::pids, &PidsOptions::headroom)));
  return section;
}

SchemaSection starting_section() {
  const auto starting_option = options_of(
      "sensors.starting",
      [](auto& config, const std::string&) -> auto& { return config.governing.starting; });
  const auto count = whole_as<int>({1, 1'000'000});
  SchemaOption most = starting_option("most", "5 x CPUs up to 4 CPUs, 2.5 x CPUs above", "8", count,
                                      &StartingOptions::most,
                                      "At most this many jobs in set-up at once, and fewer the "
                                      "more jobs run. Zuul's numbers: set-up loads a host most.");
  most.settle = [](const Config& config, const std::string&) {
    return settled_for_cpus(config.governing.starting.most_on(config.cpus), config);
  };
  SchemaOption floor =
      starting_option("floor", "half the CPUs, at least 1", "2", count, &StartingOptions::floor,
                      "This many jobs may be in set-up however many run, at most `most`. Zuul's "
                      "number: otherwise a full host would never start the next one.");
  floor.settle = [](const Config& config, const std::string&) {
    return settled_for_cpus(config.governing.starting.floor_on(config.cpus), config);
  };
  SchemaOption presence = presence_option(
      "sensors.starting", "automatic", place_in_config([
      ](auto& config, const std::string&) -> auto& { return config.governing.starting_presence; }));
  return {"sensors.starting",
          "",
          "Jobs that were admitted and have not reported the end of their set-up yet; only jobs "
          "that say they will report it count. A gate.",
          {std::move(most), std::move(floor), std::move(presence)}};
}

}  // namespace

std::vector<SchemaOption> common_sensor_options(const std::string& sensor,
                                                const CommonSensorDefaults& defaults,
                                                const ConfigPlace<SensorSettings>& settings) {
  std::vector<SchemaOption> options{
      presence_option(sensor, defaults.presence, member_of(settings, &SensorSettings::presence)),
      make_option(
          {sensor + ".resume", "90%",
           "Green again only below this part of the limit; 100% disables this. A tenth keeps a "
           "sensor at its limit from flapping.",
           "80%"},
          ratio_type({0, 1, Bound::excluded}), member_of(settings, &SensorSettings::resume)),
      make_option({sensor + ".on_error", "hold",
                   "The verdict while the sensor cannot be read: `hold` keeps the last one, "
                   "without growth; `red`; `green`; or `ignore`, as if it were absent. A lost "
                   "sensor should neither stop a host nor let it grow.",
                   "red"},
                  word_type(words_of<OnError>(4)), member_of(settings, &SensorSettings::on_error)),
      make_option({sensor + ".max_age", defaults.max_age,
                   "A reading older than this counts as an error. Ten checks at the default "
                   "interval: enough to miss a few on a busy host, and soon enough to notice. A "
                   "sensor that is read less often gets three times its period: 15s for `disk`, 3 "
                   "x `every` for a sensor of your own, where it must not be less than `every`.",
                   "30s"},
                  duration_type({std::chrono::milliseconds(10), std::chrono::hours(24 * 3)}),
                  member_of(settings, &SensorSettings::max_age)),
      make_option({sensor + ".acts", defaults.acts,
                   "The effect of red. `congestion`: stops admission and cuts the window; for "
                   "resources that the jobs themselves use up. `gate`: stops admission and freezes "
                   "the window; for shortages that less work does not cure at once.",
                   "gate"},
                  word_type(words_of<Acts>(2)), member_of(settings, &SensorSettings::acts))};
  for (SchemaOption& option : options) option.common = true;
  return options;
}

std::vector<SchemaSection> sensor_sections() {
  return {load_section(),          cpu_pressure_section(),
          memory_sensor_section(), memory_pressure_section(),
          io_pressure_section(),   cgroup_section(),
          disk_section(),          pids_section(),
          starting_section()};
}

}  // namespace sluice
