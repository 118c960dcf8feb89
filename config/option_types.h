#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/mapped.h"
#include "base/suggest.h"
#include "base/values.h"
#include "config/document.h"
#include "config/value_type.h"

namespace sluice {

/// The longest path that the kernel takes, in bytes: PATH_MAX without the terminator.
inline constexpr std::size_t kLongestPath = 4095;

ValueType<Duration> duration_type(Range<Duration> range);
ValueType<double> ratio_type(Range<double> range);
ValueType<double> number_type(Range<double> range);
ValueType<std::int64_t> whole_type(Range<std::int64_t> range);
ValueType<PointsSpec> points_type();
ValueType<std::string> path_type(std::size_t most_bytes);
ValueType<std::string> text_type();

/// As YAML; an empty text as `null`.
std::string print_text_or_null(const std::string& text);

/// A number above 0, or a size, which counts as its number of bytes.
ValueType<double> amount_type();

/// An amount of memory or disk, with its unit.
ValueType<Bytes> size_type(Range<Bytes> range);

/// HOST:PORT, or "off", which gives the empty string.
ValueType<std::string> address_type(int least_port);

ValueType<std::vector<std::string>> path_list_type();

/// At least one HOST:PORT.
ValueType<std::vector<std::string>> address_list_type();

/// A program and its arguments.
ValueType<std::vector<std::string>> command_type();

/// Programs with their arguments, by name; names have 1 to 255 bytes and no control characters.
ValueType<std::map<std::string, std::vector<std::string>>> commands_type();

/// Ratios by absolute path.
ValueType<std::map<std::string, double>> path_ratios_type(Range<double> range);

/// `automatic`, or a switch.
ValueType<Presence> presence_type();

/// A map whose values are all of one type. `problem_of_key` gives the error in a key, or "".
template <typename T>
ValueType<std::map<std::string, T>> map_type(std::string name, std::string allowed,
                                             std::string (*problem_of_key)(std::string_view),
                                             ValueType<T> part) {
  using Map = std::map<std::string, T>;
  const auto judge = [problem_of_key, read = part.read](
                         const std::string& key,
                         const YamlNode& node) -> std::optional<ValueError> {
    std::string problem = problem_of_key(key);
    if (!problem.empty()) return ValueError{std::move(problem), ""};
    return error_in(read(node));
  };
  const auto read_map = [read = part.read](const YamlNode& node) -> ParsedValue<Map> {
    Map map;
    for (const YamlEntry& entry : node.entries) map[entry.key] = std::get<T>(read(entry.value));
    return map;
  };
  const auto print_map = [print = part.print](const Map& map) {
    std::string text;
    for (const auto& [key, value] : map) {
      text += (text.empty() ? "" : ", ") + print_text(key) + ": " + print(value);
    }
    return "{" + text + "}";
  };
  return {std::move(name), std::move(allowed), read_map, print_map, judge};
}

template <typename Enum>
using Words = std::vector<std::pair<std::string, Enum>>;

/// The first `count` values of an enum by their names.
template <typename Enum>
Words<Enum> words_of(std::size_t count) {
  Words<Enum> words;
  for (std::size_t at = 0; at < count; ++at) {
    words.emplace_back(to_string(static_cast<Enum>(at)), static_cast<Enum>(at));
  }
  return words;
}

/// One of a set of words, each standing for a value.
template <typename T>
ValueType<T> word_type(Words<T> choices) {
  const auto words = mapped(choices, &Words<T>::value_type::first);
  const auto read = [choices, words](const YamlNode& node) -> ParsedValue<T> {
    auto place = parse_word(node.text, words);
    if (auto* error = std::get_if<ValueError>(&place)) return std::move(*error);
    return choices[std::get<std::size_t>(place)].second;
  };
  const auto print = [choices](const T& given) -> std::string {
    const auto found = std::ranges::find(choices, given, &Words<T>::value_type::second);
    return found != choices.end() ? found->first : "";
  };
  return {"word", "`" + join_words(words, "`, `") + "`", read, print};
}

/// A whole number for a field of type T: `Points`, or an integer that holds the range.
template <typename T>
ValueType<T> whole_as(Range<std::int64_t> range) {
  const ValueType<std::int64_t> whole = whole_type(range);
  const auto convert = [read = whole.read](const YamlNode& node) -> ParsedValue<T> {
    auto value = read(node);
    if (auto* error = std::get_if<ValueError>(&value)) return std::move(*error);
    return static_cast<T>(std::get<std::int64_t>(value));
  };
  const auto print = [](const T& number) {
    if constexpr (std::is_same_v<T, Points>)
      return std::to_string(number.value);
    else
      return std::to_string(number);
  };
  return {whole.name, whole.allowed, convert, print};
}

}  // namespace sluice
