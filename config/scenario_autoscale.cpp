#include "config/scenario_autoscale.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/suggest.h"
#include "config/complaint.h"
#include "config/document.h"
#include "config/fields.h"
#include "config/option_types_queueing.h"
#include "config/reader.h"
#include "config/scenario_reader.h"
#include "config/schema_sections.h"

namespace sluice {
namespace {

constexpr Duration kLongest = std::chrono::hours(24 * 365 * 10);

const std::vector<std::string> kAutoscaleKeys{"autoscale", "observations"};

/// Times from a clock that may be wrong: may be negative.
ValueType<Duration> any_time_type() { return duration_type({-kLongest, kLongest}); }

ValueType<int> count_type(std::int64_t least) { return whole_as<int>({least, kMostSlots}); }

ValueType<Points> points_value_type() { return whole_as<Points>({0, kMostPoints.value}); }

std::vector<Field<Executor>> executor_fields() {
  using E = Executor;
  return {
      required_field(make_field("id", "node001", label_type(), &E::id)),
      make_field("master", "true", switch_type(), &E::master),
      make_field("slots", "8", count_type(0), &E::slots),
      make_field("used", "3", count_type(0), &E::used),
      make_field("up", "50min", any_time_type(), &E::up),
      make_field("booting", "true", switch_type(), &E::booting),
      make_field("draining", "true", switch_type(), &E::draining),
      make_field("blind", "true", switch_type(), &E::blind),
      make_field("window", "40", points_value_type(), &E::window),
      make_field("usage", "15", points_value_type(), &E::usage),
      make_field<E>(
          "full", "true", switch_type(),
          [](E& into, bool full) { into.fullness = full ? Fullness::full : Fullness::has_room; }),
  };
}

std::vector<Field<QueuedJob>> queued_fields() {
  using Q = QueuedJob;
  return {
      make_field("slots", "1", count_type(1), &Q::slots),
      make_field("waited", "901s", any_time_type(), &Q::waited),
      make_field("held", "true", switch_type(), &Q::held),
      make_field("cost", "15", points_value_type(), &Q::cost),
  };
}

std::vector<Field<TimedObservation>> observation_fields() {
  using T = TimedObservation;
  // Executors and jobs are read one by one, so each error names its item.
  return {make_field("at", "1min", instant_type(), &T::at),
          make_field<T>("blind", "true", switch_type(),
                        [](T& into, bool blind) { into.seen.blind = blind; }),
          foreign_field<T>("executors"), foreign_field<T>("queued")};
}

class AutoscaleReader : public ScenarioReading<AutoscaleScenario> {
 public:
  using ScenarioReading::ScenarioReading;

  void read(const YamlNode& root) {
    if (root.kind != YamlNode::Kind::map) {
      return fail(
          root.at,
          "an autoscaler scenario must be a map with `autoscale:` and `observations:`; is " +
              describe_node(root));
    }
    for (const YamlEntry& entry : root.entries) judge_key(entry, kAutoscaleKeys);
    read_options(root);
    const YamlEntry* observations = find_entry(root, "observations");
    if (observations == nullptr)
      return fail(root.at, "an autoscaler scenario needs `observations`");
    read_observations(observations->value);
  }

 private:
  /// Reads the section `autoscale` of a configuration, and `started`, which exists only in
  /// scenarios.
  void read_options(const YamlNode& root) {
    YamlNode sections;
    sections.kind = YamlNode::Kind::map;
    if (const YamlEntry* section = find_entry(root, "autoscale")) {
      sections.entries.push_back(*section);
      read_started(sections.entries.back().value);
    }
    ConfigSchema schema;
    schema.sections.push_back(autoscale_section());
    Config config;
    config.file = scenario_.file;
    const std::vector<ConfigError> errors = read_document(schema, sections, config);
    errors_.insert(errors_.end(), errors.begin(), errors.end());
    scenario_.options = config.autoscale;
    if (errors.empty()) check_options(config, root);
  }

  void read_started(YamlNode& section) {
    const auto entry = std::ranges::find(section.entries, "started", &YamlEntry::key);
    if (entry == section.entries.end()) return;
    std::vector<FieldError> errors;
    const auto field = make_field("started", "-1h", any_time_type(), &AutoscaleScenario::started);
    if (entry->value.kind != YamlNode::Kind::null)
      read_field(field, entry->value, scenario_, errors);
    for (const FieldError& error : errors) fail(error.at, "autoscale." + error.message);
    section.entries.erase(entry);
  }

  void check_options(const Config& config, const YamlNode& root) {
    const auto problem = check_autoscale(config.autoscale);
    if (!problem) return;
    const auto given = config.given.find("autoscale." + problem->field);
    const YamlEntry* section = find_entry(root, "autoscale");
    const ConfigPosition part = section != nullptr ? section->at : root.at;
    fail(given != config.given.end() ? given->second : part, "autoscale." + problem->message);
  }

  void read_observations(const YamlNode& list) {
    const std::vector<YamlNode>& items = items_of("observations", list);
    for (std::size_t i = 0; i < items.size(); ++i) read_observation(i, items[i]);
    std::ranges::stable_sort(scenario_.observations, {}, &TimedObservation::at);
  }

  void read_observation(std::size_t index, const YamlNode& node) {
    static const auto read = reader_of(observation_fields(), "an observation");
    static const auto read_queued_job = reader_of(queued_fields(), "a queued job");
    const std::string path = path_of_item("observations", index);
    std::vector<FieldError> errors;
    TimedObservation observation = read(node, errors);
    fail_fields(path, errors);
    if (const YamlEntry* executors = find_entry(node, "executors")) {
      read_executors(path + ".executors", executors->value, observation.seen.executors);
    }
    if (const YamlEntry* queued = find_entry(node, "queued")) {
      read_items(path + ".queued", queued->value, observation.seen.queued, read_queued_job);
    }
    scenario_.observations.push_back(std::move(observation));
  }

  void read_executors(const std::string& path, const YamlNode& list, std::vector<Executor>& into) {
    static const auto read = reader_of(executor_fields(), "an executor");
    std::set<std::string> ids;
    read_items(path, list, into, [&](const YamlNode& item, std::vector<FieldError>& errors) {
      Executor executor = read(item, errors);
      if (!executor.id.empty() && !ids.insert(executor.id).second) {
        errors.push_back({"id", find_entry(item, "id")->value.at,
                          "id " + quote_text(executor.id) + " is given twice"});
      }
      return executor;
    });
  }
};

}  // namespace

AutoscaleScenarioResult parse_autoscale_scenario(std::string_view text, std::string file_name) {
  return parse_with<AutoscaleReader>(text, std::move(file_name));
}

AutoscaleScenarioResult read_autoscale_scenario(const std::string& path) {
  return read_with(parse_autoscale_scenario, path);
}

}  // namespace sluice
