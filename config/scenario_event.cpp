#include "config/scenario_event.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/enum_names.h"
#include "base/suggest.h"
#include "config/name_check.h"
#include "config/option_types_queueing.h"
#include "sluice/job.h"
#include "sluice/reading.h"

namespace sluice {
namespace {

using Do = ScenarioEvent::Do;
using Position = ScenarioEvent::Position;
using Where = JobChange::Position::Where;

/// `front`, `back`, {before: ID} or {after: ID}.
ValueType<Position> position_type() {
  const auto read = [](const YamlNode& node) -> ParsedValue<Position> {
    if (node.text == "front") return Position{Where::front, ""};
    if (node.text == "back") return Position{Where::back, ""};
    const ValueError wrong{"must be front, back, {before: ID} or {after: ID}", ""};
    if (node.entries.size() != 1) return wrong;
    const YamlEntry& entry = node.entries.front();
    const bool before = entry.key == "before";
    const bool named = entry.value.kind == YamlNode::Kind::scalar && !entry.value.text.empty();
    if ((!before && entry.key != "after") || !named) return wrong;
    return Position{before ? Where::before : Where::after, entry.value.text};
  };
  return {.name = "word or map", .read = read};
}

ValueType<std::string> sensor_name_type() {
  const auto read = [](const YamlNode& node) -> ParsedValue<std::string> {
    const std::string& name = node.text;
    if (std::string problem = problem_of_sensor_name(name); !problem.empty()) {
      return ValueError{std::move(problem), ""};
    }
    if (name == "pause") return ValueError{"must be a sensor", "`pause` is an event"};
    if (name == "starting") {
      return ValueError{"must be a sensor", "`starting` follows from the jobs"};
    }
    return name;
  };
  return {.name = "name", .read = read};
}

constexpr std::size_t kActions = 8;

std::vector<Field<ScenarioEvent>> event_fields() {
  using Event = ScenarioEvent;
  return {
      make_field("at", "10m", instant_type(), &Event::at),
      required_field(make_field("do", "pause", word_type(words_of<Do>(kActions)), &Event::what)),
      make_field("job", "build-1", label_type(), &Event::job),
      make_field("queue", "default", name_type(), &Event::queue),
      make_field("priority", "5", whole_as<int>({-kMostPriority, kMostPriority}), &Event::priority),
      make_field("position", "front", position_type(), &Event::position),
      make_field("frozen", "true", switch_type(), &Event::frozen),
      make_field("nice", "10", whole_as<int>({-20, 19}), &Event::nice),
      make_field("locks", "{node: \"exclusive:n1\"}", locks_type(), &Event::locks),
      make_field("global_lock", "true", switch_type(), &Event::global_lock),
      // Reading it takes the machine and the file's name.
      foreign_field<Event>("config"),
  };
}

/// The field an event needs and the fields it may have.
struct Shape {
  Do what;
  std::string_view needs;
  std::vector<std::string_view> may = {};
};

const Shape& shape_of(Do what) {
  static const std::array<Shape, kActions> shapes{
      {{Do::pause, ""},
       {Do::resume, ""},
       {Do::drain, ""},
       {Do::cancel, "job"},
       {Do::set,
        "job",
        {"queue", "priority", "position", "frozen", "nice", "locks", "global_lock"}},
       {Do::pause_queue, "queue"},
       {Do::resume_queue, "queue"},
       {Do::reload, "config"}}};
  return *std::ranges::find(shapes, what, &Shape::what);
}

void check_shape(const YamlNode& node, const ScenarioEvent& event,
                 std::vector<FieldError>& errors) {
  const Shape& shape = shape_of(event.what);
  const std::string word = "`do: " + find_entry(node, "do")->value.text + "`";
  const auto has = [&](std::string_view field) {
    const YamlEntry* entry = find_entry(node, field);
    return entry != nullptr && entry->value.kind != YamlNode::Kind::null;
  };
  if (!shape.needs.empty() && !has(shape.needs)) {
    const std::string field(shape.needs);
    errors.push_back({field, node.at, "an event with " + word + " needs `" + field + "`"});
  }
  for (const Field<ScenarioEvent>& field : event_fields()) {
    const bool fits = field.name == "at" || field.name == "do" || field.name == shape.needs ||
                      std::find(shape.may.begin(), shape.may.end(), field.name) != shape.may.end();
    if (fits || !has(field.name)) continue;
    const ConfigPosition at = find_entry(node, field.name)->at;
    errors.push_back({field.name, at, field.name + " has no meaning with " + word});
  }
  if (event.what == Do::set && std::none_of(shape.may.begin(), shape.may.end(), has)) {
    errors.push_back({"do", node.at,
                      "an event with `do: set` needs something to set: " +
                          join_words({shape.may.begin(), shape.may.end()})});
  }
}

}  // namespace

std::string_view to_string(ScenarioEvent::Do what) {
  static constexpr EnumNames<ScenarioEvent::Do::reload> kNames{
      "pause", "resume", "drain", "cancel", "set", "pause_queue", "resume_queue", "reload"};
  return kNames.of(what);
}

ScenarioEvent read_scenario_event(const YamlNode& node, std::vector<FieldError>& errors) {
  static const std::vector<Field<ScenarioEvent>> fields = event_fields();
  ScenarioEvent event;
  event.place = node.at;
  const std::size_t before = errors.size();
  read_fields(fields, "an event", node, event, errors);
  const YamlEntry* what = find_entry(node, "do");
  const bool known = what != nullptr && find_named<Do>(what->value.text, kActions);
  if (known || errors.size() == before) check_shape(node, event, errors);
  return event;
}

SensorPoint read_sensor_point(const YamlNode& node, std::vector<FieldError>& errors) {
  static const std::vector<Field<SensorPoint>> fields{
      make_field("at", "90s", instant_type(), &SensorPoint::at),
      required_field(make_field("name", "load", sensor_name_type(), &SensorPoint::name)),
      required_field(
          make_field("pressure", "1.3", number_type({0, kMostPressure}), &SensorPoint::pressure))};
  SensorPoint point;
  point.line = node.at.line;
  read_fields(fields, "a sensor's point", node, point, errors);
  return point;
}

const Config& config_at(const Scenario& scenario, Duration at) {
  const ScenarioEvent* last = nullptr;
  for (const ScenarioEvent& event : scenario.events) {
    if (event.config == nullptr || event.at > at) continue;
    if (last == nullptr || event.at >= last->at) last = &event;
  }
  return last != nullptr ? *last->config : scenario.config;
}

std::vector<ConfigError> check_event_jobs(const Scenario& scenario,
                                          const std::function<bool(std::string_view id)>& is_job) {
  std::vector<ConfigError> errors;
  const auto check = [&](const ScenarioEvent& event, const std::string& field,
                         const std::string& id) {
    if (id.empty() || is_job(id)) return;
    errors.push_back({scenario.file, event.place.line, event.place.column,
                      "an event's " + field + ": unknown job " + quote_text(id)});
  };
  for (const ScenarioEvent& event : scenario.events) {
    check(event, "job", event.job);
    if (event.position) check(event, "position", event.position->of);
  }
  return errors;
}

}  // namespace sluice
