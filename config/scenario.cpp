#include "config/scenario.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/suggest.h"
#include "config/complaint.h"
#include "config/name_check.h"
#include "config/option_types_queueing.h"
#include "config/scenario_event.h"
#include "config/scenario_reader.h"
#include "config/source_text.h"

namespace sluice {
namespace {

constexpr double kMostCpus = 10'000;

/// The top-level keys of a scenario, which are read one by one.
const std::vector<std::string> kScenarioKeys{"recorded", "config",  "machine", "cpu",   "history",
                                             "until",    "sensors", "jobs",    "events"};

enum class Model { none, host };

struct Machine {
  std::optional<Bytes> memory;
  Model model = Model::none;
  ScenarioHost host;
};

constexpr double kMostWaiting = 1000;
constexpr Bytes kMostDisk{std::uint64_t{1} << 50};
constexpr std::size_t kMostNeighbours = 1000;
constexpr std::int64_t kMostTimes = 50;

std::vector<Field<ScenarioNeighbour>> neighbour_fields() {
  using Neighbour = ScenarioNeighbour;
  return {make_field("from", "20s", instant_type(), &Neighbour::from),
          make_field("until", "60s", instant_type(), &Neighbour::until),
          make_field("threads", "2", number_type({0, kMostCpus}), &Neighbour::threads),
          make_field("yields", "true", switch_type(), &Neighbour::yields),
          make_field("memory", "1GiB", size_type({Bytes{0}, kMostDisk}), &Neighbour::memory)};
}

std::vector<Field<ScenarioRun>> history_fields() {
  using Run = ScenarioRun;
  const auto text = text_type();
  return {required_field(make_field("key", "g++:heavy", text, &Run::key)),
          make_field("program", "g++", text, &Run::program),
          make_field("user", "\"1000\"", text, &Run::user),
          make_field("variant", "a", text, &Run::variant),
          required_field(make_field("runs", "300s", instant_type(), &Run::runs)),
          make_field("cores", "2", number_type({0, kMostCpus}), &Run::cores),
          make_field("memory", "1GiB", size_type({Bytes{0}, kMostDisk}), &Run::memory),
          make_field("times", "5", whole_type({1, kMostTimes}), &Run::times)};
}

std::vector<Field<CpuPoint>> cpu_fields() {
  return {make_field("at", "90s", instant_type(), &CpuPoint::at),
          required_field(make_field("busy", "0.9", number_type({0, 1}), &CpuPoint::busy)),
          make_field("waiting", "0.2", number_type({0, kMostWaiting}), &CpuPoint::waiting)};
}

/// Stores in a member of the host.
template <typename Member>
auto store_host(Member member) {
  return [member](Machine& machine, auto value) { machine.host.*member = std::move(value); };
}

ValueType<std::optional<Bytes>> memory_type() {
  const auto read = [](const YamlNode& node) -> ParsedValue<std::optional<Bytes>> {
    if (node.text == "unlimited") return std::optional<Bytes>();
    auto size = parse_size(node.text);
    if (auto* error = std::get_if<ValueError>(&size)) {
      error->expected += ", or unlimited";
      return std::move(*error);
    }
    return std::optional(std::get<Bytes>(size));
  };
  return {.name = "size", .read = read};
}

std::vector<Field<Machine>> machine_fields() {
  const Range<double> cpus{0, kMostCpus, Bound::excluded};
  return {
      make_field<Machine>("cpus", "2", number_type(cpus), store_host(&ScenarioHost::cpus)),
      make_field("memory", "16GiB", memory_type(), &Machine::memory),
      make_field("model", "host", word_type<Model>({{"host", Model::host}}), &Machine::model),
      make_field<Machine>("disk", "200MiB", size_type({Bytes{1}, kMostDisk}),
                          store_host(&ScenarioHost::disk_per_second)),
      make_field<Machine>("quota", "1.5", number_type(cpus), store_host(&ScenarioHost::quota)),
      make_field<Machine>("steal", "0.5", number_type({0, 1, Bound::included, Bound::excluded}),
                          store_host(&ScenarioHost::steal)),
      foreign_field<Machine>("neighbours"),
  };
}

class ScenarioReader : public ScenarioReading<Scenario> {
 public:
  using ScenarioReading::ScenarioReading;

  void read(const YamlNode& root) {
    if (root.kind != YamlNode::Kind::map) {
      return fail(root.at,
                  "a scenario must be a map of keys such as `until:`; is " + describe_node(root));
    }
    for (const YamlEntry& entry : root.entries) judge_entry(entry);
    read_machine(entry_value(root, "machine"));
    read_cpu(entry_value(root, "cpu"));
    read_history(root);
    scenario_.config = read_config(entry_value(root, "config"));
    read_value(root, make_field("until", "1h", instant_type(), &Scenario::until));
    read_value(root, make_field("recorded", "true", switch_type(), &Scenario::recorded));
    read_items("sensors", entry_value(root, "sensors"), scenario_.sensors, read_sensor_point);
    read_events(root);
    read_jobs(entry_value(root, "jobs"));
    put_in_time();
  }

 private:
  static const YamlNode& entry_value(const YamlNode& root, std::string_view key) {
    static const YamlNode nothing;
    const YamlEntry* entry = find_entry(root, key);
    return entry != nullptr ? entry->value : nothing;
  }

  void judge_entry(const YamlEntry& entry) {
    if (entry.key != "autoscale" && entry.key != "observations")
      return judge_key(entry, kScenarioKeys);
    fail(entry.at,
         "`" + entry.key + "` belongs in an autoscaler scenario: `sluice replay --autoscale FILE`");
  }

  void read_machine(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::null) return;
    Machine machine;
    std::vector<FieldError> errors;
    const std::vector<Field<Machine>> fields = machine_fields();
    read_fields(fields, "machine", node, machine, errors);
    fail_fields("machine", errors);
    read_neighbours(entry_value(node, "neighbours"), machine.host);
    scenario_.cpus = std::min(machine.host.cpus, machine.host.quota.value_or(machine.host.cpus));
    scenario_.memory = machine.memory;
    if (machine.model == Model::host) {
      scenario_.host = std::move(machine.host);
      return;
    }
    for (const std::string_view name : {"disk", "quota", "steal", "neighbours"}) {
      const YamlEntry* entry = find_entry(node, name);
      if (entry == nullptr) continue;
      fail(entry->at, "machine: " + std::string(name) + " needs `model: host`");
    }
  }

  void read_neighbours(const YamlNode& node, ScenarioHost& host) {
    if (node.items.size() > kMostNeighbours) {
      return fail(node.at,
                  "machine.neighbours: must be at most " + std::to_string(kMostNeighbours));
    }
    const auto read = reader_of(neighbour_fields(), "a neighbour");
    read_items("machine.neighbours", node, host.neighbours,
               [&](const YamlNode& item, std::vector<FieldError>& errors) {
                 const ScenarioNeighbour neighbour = read(item, errors);
                 if (errors.empty() && neighbour.until && *neighbour.until <= neighbour.from) {
                   errors.push_back({"until", item.at, "until must be after from"});
                 }
                 return neighbour;
               });
  }

  void read_cpu(const YamlNode& node) {
    if (scenario_.host && !node.items.empty()) {
      return fail(node.at, "cpu: `machine: {model: host}` measures its own CPUs; leave out one");
    }
    read_items("cpu", node, scenario_.cpu, reader_of(cpu_fields(), "a point"));
  }

  void read_history(const YamlNode& root) {
    const YamlEntry* entry = find_entry(root, "history");
    if (entry == nullptr) return;
    if (!scenario_.host) return fail(entry->at, "history: needs `machine: {model: host}`");
    read_items("history", entry->value, scenario_.history.emplace(),
               reader_of(history_fields(), "a run"));
  }

  Config read_config(const YamlNode& node) {
    const bool fits = node.kind == YamlNode::Kind::map || node.kind == YamlNode::Kind::null;
    if (!fits) fail(node.at, complaint("config", {"must be a map of keys", ""}, node));
    Config defaults;
    defaults.file = scenario_.file;
    defaults.cpus = scenario_.cpus;
    if (!is_measured(scenario_)) defaults.governing.window.law = Law::adaptive;
    return read_config_tree(fits ? node : YamlNode{}, std::move(defaults), errors_);
  }

  void read_value(const YamlNode& root, const Field<Scenario>& field) {
    const YamlNode& node = entry_value(root, field.name);
    if (node.kind == YamlNode::Kind::null) return;
    std::vector<FieldError> errors;
    read_field(field, node, scenario_, errors);
    for (const FieldError& error : errors) fail(error.at, error.message);
  }

  void read_events(const YamlNode& root) {
    const YamlNode& node = entry_value(root, "events");
    const auto read = [&](const YamlNode& item, std::vector<FieldError>& errors) {
      ScenarioEvent event = read_scenario_event(item, errors);
      if (event.what == ScenarioEvent::Do::reload) {
        event.config = std::make_shared<const Config>(read_config(entry_value(item, "config")));
      }
      return event;
    };
    read_items("events", node, scenario_.events, read);
    // Only now is the configuration in effect at each event known.
    for (std::size_t i = 0; i < node.items.size(); ++i) check_event(i, node.items[i]);
  }

  void check_event(std::size_t index, const YamlNode& node) {
    using Do = ScenarioEvent::Do;
    const ScenarioEvent& event = scenario_.events[index];
    const bool is_on_queue = event.what == Do::pause_queue || event.what == Do::resume_queue;
    if (is_on_queue && scenario_.recorded) return;
    JobRequest named;
    named.queue = event.queue.value_or("");
    named.locks = event.locks;
    std::vector<FieldError> errors;
    check_names(config_at(scenario_, event.at).governing.queueing, named, node, errors);
    fail_fields(path_of_item("events", index), errors);
  }

  void read_jobs(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::map) return read_jobs_file(node);
    if (node.kind != YamlNode::Kind::list && node.kind != YamlNode::Kind::null) {
      return fail(node.at, complaint("jobs", {"must be a list, or {file: PATH}", ""}, node));
    }
    const auto read = [&](const YamlNode& item, std::vector<FieldError>& errors) {
      ScenarioJob job = read_scenario_job(item, errors);
      check_names(config_at(scenario_, job.at).governing.queueing, job.request, item, errors);
      return job;
    };
    read_items("jobs", node, scenario_.jobs, read);
    check_ids(node.items);
    check_after(node.items);
    check_circles(node.items);
    const auto wrong = check_event_jobs(
        scenario_, [&](std::string_view id) { return numbers_.contains(std::string(id)); });
    errors_.insert(errors_.end(), wrong.begin(), wrong.end());
  }

  void read_jobs_file(const YamlNode& node) {
    JobsFile file;
    std::vector<FieldError> errors;
    const std::vector<Field<JobsFile>> fields{
        required_field(make_field("file", "jobs.jsonl", text_type(), &JobsFile::path))};
    read_fields(fields, "jobs", node, file, errors);
    fail_fields("jobs", errors);
    const std::filesystem::path path = file.path;
    const std::filesystem::path folder = std::filesystem::path(scenario_.file).parent_path();
    if (path.is_relative()) file.path = (folder / path).string();
    file.place = node.at;
    scenario_.jobs_file = std::move(file);
  }

  static ConfigPosition place_of(const YamlNode& job, std::string_view field) {
    const YamlEntry* entry = find_entry(job, field);
    return entry != nullptr ? entry->value.at : job.at;
  }

  void check_ids(const std::vector<YamlNode>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string& id = scenario_.jobs[i].request.id;
      if (id.empty()) continue;
      const auto [first, is_new] = numbers_.emplace(id, i);
      if (is_new) continue;
      fail(place_of(items[i], "id"), path_of_item("jobs", i) + ": id " + quote_text(id) +
                                         " is given twice, first in line " +
                                         std::to_string(scenario_.jobs[first->second].line));
    }
  }

  void check_after(const std::vector<YamlNode>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const ScenarioJob& job = scenario_.jobs[i];
      const std::string path = path_of_item("jobs", i) + ": after";
      for (const std::string& id : job.after) {
        if (id == job.request.id) {
          fail(place_of(items[i], "after"), path + " must not name the job itself");
        } else if (!numbers_.contains(id)) {
          fail(place_of(items[i], "after"), path + ": " + unknown_name("job", id, ids()));
        }
      }
    }
  }

  void check_circles(const std::vector<YamlNode>& items) {
    for (const std::vector<std::size_t>& circle : find_cycles(scenario_.jobs)) {
      std::vector<std::string> way;
      for (const std::size_t job : circle)
        way.push_back(quote_text(scenario_.jobs[job].request.id));
      fail(place_of(items[circle.front()], "after"),
           path_of_item("jobs", circle.front()) + ": after must not lead back to the job itself: " +
               join_words(way) + ", " + way.front());
    }
  }

  std::vector<std::string> ids() const { return names_in(numbers_); }

  void put_in_time() {
    std::ranges::stable_sort(scenario_.sensors, {}, &SensorPoint::at);
    std::ranges::stable_sort(scenario_.cpu, {}, &CpuPoint::at);
    std::ranges::stable_sort(scenario_.jobs, {}, &ScenarioJob::at);
    std::ranges::stable_sort(scenario_.events, {}, &ScenarioEvent::at);
  }

  std::map<std::string, std::size_t> numbers_;  ///< Of jobs, by id.
};

}  // namespace

bool is_measured(const Scenario& scenario) { return scenario.host || !scenario.cpu.empty(); }

ScenarioResult parse_scenario(std::string_view text, std::string file_name) {
  return parse_with<ScenarioReader>(
      text, std::move(file_name),
      "; put many jobs in a file of their own: `jobs: {file: jobs.jsonl}`");
}

ScenarioResult read_scenario(const std::string& path) { return read_with(parse_scenario, path); }

}  // namespace sluice
