#include "config/option_types_queueing.h"

#include <set>

#include "base/mapped.h"
#include "base/suggest.h"
#include "config/name_check.h"

namespace sluice {
namespace {

std::optional<ValueError> as_error(std::string problem) {
  if (problem.empty()) return std::nullopt;
  return ValueError{std::move(problem), ""};
}

/// A text in which `problem_of` finds no error.
template <typename Problem>
ValueType<std::string> checked_text(std::string allowed, Problem problem_of) {
  const auto read = [problem_of](const YamlNode& node) -> ParsedValue<std::string> {
    if (auto error = as_error(problem_of(node.text))) return std::move(*error);
    return node.text;
  };
  return {.name = "name", .allowed = std::move(allowed), .read = read, .print = print_text_or_null};
}

std::string problem_of_name_key(std::string_view key) {
  const std::string problem = problem_of_name(key);
  return problem.empty() ? "" : "has a bad name: " + problem;
}

/// Locks in which `problem_of` finds no error, by level.
template <typename Problem>
ValueType<std::map<std::string, std::string>> locks_by_level(Problem problem_of) {
  ValueType<std::string> locks = checked_text("", [problem_of](std::string_view text) {
    const std::string problem = problem_of(text);
    return problem.empty() ? "" : "is not a lock declaration: " + problem;
  });
  locks.print = print_text;
  return map_type("map of locks", "see above", problem_of_name_key, scalar_part(locks));
}

std::string problem_of_locks(std::string_view text) {
  const auto locks = parse_locks("", text);
  const auto* problem = std::get_if<std::string>(&locks);
  return problem != nullptr ? *problem : "";
}

std::optional<ValueError> find_repeated(const std::vector<YamlNode>& items) {
  std::set<std::string_view> seen;
  for (const YamlNode& item : items) {
    if (seen.insert(item.text).second) continue;
    return ValueError{"must have each of them once", quote_text(item.text) + " is there twice"};
  }
  return std::nullopt;
}

/// A list of texts in which `problem_of` finds no error.
template <typename Problem>
ValueType<std::vector<std::string>> checked_list(const std::string& what, Range<std::size_t> sizes,
                                                 Problem problem_of) {
  const std::string count = std::to_string(sizes.least) + " to " + std::to_string(sizes.most);
  const auto judge = [problem_of](const std::string&,
                                  const YamlNode& node) -> std::optional<ValueError> {
    if (node.kind != YamlNode::Kind::scalar) return ValueError{"must be one value", ""};
    return as_error(problem_of(node.text));
  };
  const auto read = [sizes, what,
                     count](const YamlNode& node) -> ParsedValue<std::vector<std::string>> {
    if (node.kind != YamlNode::Kind::list) {
      return ValueError{"must be a list of " + what + " such as [a, b]", ""};
    }
    if (node.items.size() < sizes.least || node.items.size() > sizes.most) {
      return ValueError{"must have " + count + " " + what,
                        "it has " + std::to_string(node.items.size())};
    }
    return mapped(node.items, &YamlNode::text);
  };
  return {"list of " + what, count + " of them", read, print_list, judge};
}

ValueType<std::string> or_empty(ValueType<std::string> type) {
  type.read = [read = type.read](const YamlNode& node) -> ParsedValue<std::string> {
    return node.text.empty() ? ParsedValue<std::string>(std::string()) : read(node);
  };
  return type;
}

}  // namespace

ValueType<bool> switch_type() {
  const auto read = [](const YamlNode& node) -> ParsedValue<bool> {
    const auto given = parse_switch(node.text);
    const auto* presence = std::get_if<Presence>(&given);
    if (presence == nullptr) return ValueError{"must be true or false", ""};
    return *presence == Presence::on;
  };
  const auto print = [](const bool& on) { return on ? "true" : "false"; };
  return {.name = "word", .allowed = "`true`, `false`", .read = read, .print = print};
}

ValueType<int> tenths_type(Range<int> range) {
  const std::string allowed = "at least " + print_tenths(range.least) + " and at most " +
                              print_tenths(range.most) + ", with at most one decimal place";
  const auto read = [range, allowed](const YamlNode& node) -> ParsedValue<int> {
    auto tenths = parse_tenths(node.text);
    if (auto* error = std::get_if<ValueError>(&tenths)) return std::move(*error);
    const std::int64_t value = std::get<std::int64_t>(tenths);
    if (value < range.least || value > range.most) return ValueError{"must be " + allowed, ""};
    return static_cast<int>(value);
  };
  return {.name = "number", .allowed = allowed, .read = read, .print = print_tenths};
}

ValueType<std::string> name_type() {
  return checked_text("at most 255 bytes, no blanks, no commas", problem_of_name);
}

ValueType<std::string> label_type() { return checked_text("at most 255 bytes", problem_of_label); }

ValueType<std::string> optional_label_type() { return or_empty(label_type()); }

ValueType<std::string> optional_key_type() {
  return or_empty(checked_text("at most 256 bytes", problem_of_key));
}

ValueType<std::vector<std::string>> name_list_type(Range<std::size_t> sizes) {
  ValueType<std::vector<std::string>> type = checked_list("names", sizes, problem_of_name);
  type.allowed += ", each once";
  type.read = [read = type.read](const YamlNode& node) {
    auto names = read(node);
    if (std::holds_alternative<ValueError>(names)) return names;
    if (auto error = find_repeated(node.items)) names = std::move(*error);
    return names;
  };
  return type;
}

ValueType<std::vector<std::string>> label_list_type(Range<std::size_t> sizes) {
  return checked_list("texts", sizes, problem_of_label);
}

ValueType<std::vector<std::string>> file_name_list_type(Range<std::size_t> sizes) {
  return checked_list("names", sizes, problem_of_file_name);
}

ValueType<Duration> instant_type() {
  const auto read = [](const YamlNode& node) -> ParsedValue<Duration> {
    auto instant = parse_instant(node.text);
    const auto* given = std::get_if<Duration>(&instant);
    if (given != nullptr && *given > kMostInstant) return ValueError{"must be at most 10000d", ""};
    return instant;
  };
  return {.name = "duration",
          .allowed = "at least 0s and at most 10000d",
          .read = read,
          .print = print_duration};
}

ValueType<std::map<std::string, std::int64_t>> amounts_type() {
  const auto read = [](const YamlNode& node) -> ParsedValue<std::int64_t> {
    auto given = parse_whole(node.text);
    const auto* number = std::get_if<std::int64_t>(&given);
    if (number != nullptr && *number < 0) return ValueError{"must be at least 0", ""};
    return given;
  };
  const auto print = [](const std::int64_t& number) { return std::to_string(number); };
  return map_type<std::int64_t>("map of amounts", "each at least 0", problem_of_name_key,
                                scalar_part<std::int64_t>({.read = read, .print = print}));
}

ValueType<std::map<std::string, std::string>> lock_templates_type() {
  return locks_by_level(problem_of_lock_template);
}

ValueType<std::vector<LevelLocks>> locks_type() {
  const auto read = [](const YamlNode& node) -> ParsedValue<std::vector<LevelLocks>> {
    std::vector<LevelLocks> levels;
    std::size_t names = 0;
    for (const YamlEntry& entry : node.entries) {
      levels.push_back(std::get<LevelLocks>(parse_locks(entry.key, entry.value.text)));
      names += levels.back().shared.size() + levels.back().exclusive.size();
    }
    if (names <= kMostLockNames) return levels;
    return ValueError{
        "must have at most " + std::to_string(kMostLockNames) + " names across all levels",
        "it has " + std::to_string(names)};
  };
  return {.name = "map of locks",
          .read = read,
          .judge_part = locks_by_level(problem_of_locks).judge_part};
}

}  // namespace sluice
