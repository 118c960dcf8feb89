#include "config/option_types.h"

#include "config/name_check.h"

namespace sluice {
namespace {

template <typename T, typename Print>
std::string describe_range(const Range<T>& range, const Print& print) {
  return (range.low == Bound::included ? "at least " : "above ") + print(range.least) + " and " +
         (range.high == Bound::included ? "at most " : "below ") + print(range.most);
}

template <typename T>
bool contains(const Range<T>& range, const T& value) {
  const bool above = value > range.least || (range.low == Bound::included && value == range.least);
  const bool below = value < range.most || (range.high == Bound::included && value == range.most);
  return above && below;
}

template <typename T, typename Parse, typename Print>
ValueType<T> ranged(std::string name, Range<T> range, Parse parse, Print print) {
  const std::string allowed = describe_range(range, print);
  const auto read = [parse, range, allowed](const YamlNode& node) -> ParsedValue<T> {
    ParsedValue<T> value = parse(node.text);
    if (std::holds_alternative<ValueError>(value)) return value;
    if (contains(range, std::get<T>(value))) return value;
    return ValueError{"must be " + allowed, ""};
  };
  return {.name = std::move(name), .allowed = allowed, .read = read, .print = print};
}

template <typename Parse>
ValueType<std::string> string_type(std::string name, std::string allowed, Parse parse) {
  return {.name = std::move(name),
          .allowed = std::move(allowed),
          .read = [parse](const YamlNode& node) { return parse(node.text); },
          .print = print_text_or_null};
}

/// A non-empty list of items that `parse` accepts.
template <typename Parse>
ValueType<std::vector<std::string>> list_type(std::string name, std::string expected, Parse parse) {
  const auto read = [parse, error = ValueError{std::move(expected), ""}](
                        const YamlNode& node) -> ParsedValue<std::vector<std::string>> {
    if (node.kind != YamlNode::Kind::list || node.items.empty()) return error;
    std::vector<std::string> texts;
    for (const YamlNode& item : node.items) {
      if (item.kind != YamlNode::Kind::scalar) return error;
      auto text = parse(item.text);
      if (auto* wrong = std::get_if<ValueError>(&text)) return *wrong;
      texts.push_back(std::move(std::get<std::string>(text)));
    }
    return texts;
  };
  return {.name = std::move(name), .read = read, .print = print_list};
}

std::string problem_of_label_key(std::string_view key) {
  const std::string problem = problem_of_label(key);
  return problem.empty() ? "" : "has a bad name: " + problem;
}

}  // namespace

std::string print_text_or_null(const std::string& text) {
  return text.empty() ? "null" : print_text(text);
}

ValueType<Duration> duration_type(Range<Duration> range) {
  return ranged("duration", range, parse_duration, print_duration);
}

ValueType<Bytes> size_type(Range<Bytes> range) {
  return ranged("size", range, parse_size, print_size);
}

ValueType<double> ratio_type(Range<double> range) {
  ValueType<double> type = ranged("ratio", range, parse_ratio, print_ratio);
  type.read = [read = type.read](const YamlNode& node) {
    ParsedValue<double> value = read(node);
    auto* error = std::get_if<ValueError>(&value);
    if (error == nullptr) return value;
    YamlNode as_percent = node;
    as_percent.text += '%';
    const bool forgot_sign = std::holds_alternative<double>(read(as_percent));
    if (forgot_sign) error->hint = "did you mean `" + as_percent.text + "`?";
    return value;
  };
  return type;
}

ValueType<double> number_type(Range<double> range) {
  return ranged("number", range, parse_decimal, print_decimal);
}

ValueType<std::int64_t> whole_type(Range<std::int64_t> range) {
  return ranged("whole number", range, parse_whole,
                [](std::int64_t number) { return std::to_string(number); });
}

ValueType<PointsSpec> points_type() {
  return {
      .name = "points",
      .allowed = "at least 1 and at most " + std::to_string(kMostPoints.value) + ", or above 0/cpu",
      .read = [](const YamlNode& node) { return parse_points(node.text); },
      .print = print_points};
}

ValueType<double> amount_type() {
  const auto read = [](const YamlNode& node) -> ParsedValue<double> {
    ParsedValue<double> number = parse_decimal(node.text);
    if (const auto size = parse_size(node.text); std::holds_alternative<Bytes>(size)) {
      number = static_cast<double>(std::get<Bytes>(size).value);
    }
    if (std::holds_alternative<ValueError>(number)) {
      return ValueError{"must be a number such as 40, or a size such as 1.5GiB", ""};
    }
    if (std::get<double>(number) <= 0) return ValueError{"must be above 0", ""};
    return number;
  };
  return {.name = "number or size", .allowed = "above 0", .read = read, .print = print_decimal};
}

ValueType<std::string> path_type(std::size_t most_bytes) {
  return string_type("path", "absolute, at most " + std::to_string(most_bytes) + " bytes",
                     [most_bytes](std::string_view text) { return parse_path(text, most_bytes); });
}

ValueType<std::string> text_type() {
  ValueType<std::string> type =
      string_type("text", "no control characters", [](auto text) { return parse_text(text); });
  type.print = print_text;
  return type;
}

ValueType<std::string> address_type(int least_port) {
  const auto parse = [least_port](std::string_view text) -> ParsedValue<std::string> {
    const auto word = parse_switch(text);
    const Presence* presence = std::get_if<Presence>(&word);
    if (presence != nullptr && *presence == Presence::off) return std::string();
    ParsedValue<std::string> address = parse_address(text, least_port);
    if (auto* error = std::get_if<ValueError>(&address)) error->expected += ", or off";
    return address;
  };
  ValueType<std::string> type =
      string_type("address", "port " + std::to_string(least_port) + " to 65535, or `off`", parse);
  type.print = [](const std::string& text) { return text.empty() ? "off" : '"' + text + '"'; };
  return type;
}

ValueType<std::vector<std::string>> path_list_type() {
  return list_type("list of paths", "must be a list of absolute paths such as [/, /var/lib]",
                   [](std::string_view text) { return parse_path(text, kLongestPath); });
}

ValueType<std::vector<std::string>> address_list_type() {
  return list_type("list of addresses", "must be a list of addresses such as [\"127.0.0.1:4730\"]",
                   [](std::string_view text) { return parse_address(text, 1); });
}

ValueType<std::vector<std::string>> command_type() {
  auto type = list_type("list of texts",
                        "must be a list of a program and its arguments such as [/usr/bin/test, -e]",
                        parse_text);
  type.read = [read = type.read](const YamlNode& node) {
    auto command = read(node);
    const auto* words = std::get_if<std::vector<std::string>>(&command);
    if (words != nullptr && words->front().empty()) {
      command = ValueError{"must name a program first", ""};
    }
    return command;
  };
  return type;
}

ValueType<std::map<std::string, std::vector<std::string>>> commands_type() {
  return map_type("map of commands", "each a list of a program and its arguments",
                  problem_of_label_key, command_type());
}

ValueType<std::map<std::string, double>> path_ratios_type(Range<double> range) {
  const auto problem_of_key = [](std::string_view key) -> std::string {
    const bool is_path = std::holds_alternative<std::string>(parse_path(key, kLongestPath));
    return is_path ? "" : "must be named by an absolute path such as /var/lib/sluice";
  };
  const ValueType<double> ratio = ratio_type(range);
  return map_type<double>("map of ratios", "by absolute path, each " + ratio.allowed,
                          problem_of_key, scalar_part(ratio));
}

ValueType<Presence> presence_type() {
  const auto read = [](const YamlNode& node) -> ParsedValue<Presence> {
    auto given = parse_switch(node.text);
    if (std::holds_alternative<Presence>(given)) return given;
    auto word = parse_word(node.text, {"automatic", "on", "off"});
    if (auto* error = std::get_if<ValueError>(&word)) return std::move(*error);
    return Presence::automatic;
  };
  const auto print = [](const Presence& presence) {
    return presence == Presence::automatic ? "automatic" : presence == Presence::on ? "on" : "off";
  };
  return {.name = "word", .allowed = "`automatic`, `on`, `off`", .read = read, .print = print};
}

}  // namespace sluice
