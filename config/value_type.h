#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/values.h"
#include "config/document.h"

namespace sluice {

/// A kind of value in the schema: its name, allowed values, parser and printer.
template <typename T>
struct ValueType {
  std::string name = {};     ///< "duration"
  std::string allowed = {};  ///< "at least 10ms and at most 1h"; empty for any value.
  std::function<ParsedValue<T>(const YamlNode&)> read = {};  ///< Never called with a null.
  std::function<std::string(const T&)> print = {};           ///< As YAML.
  /// For a list or a map: the error in one part; nullopt if it is valid. `key` is empty in a list.
  std::function<std::optional<ValueError>(const std::string& key, const YamlNode&)> judge_part = {};
};

/// Whether a range includes its end.
enum class Bound { included, excluded };

template <typename T>
struct Range {
  T least;
  T most;
  Bound low = Bound::included;
  Bound high = Bound::included;
};

/// The error in a value that may be one.
template <typename T>
std::optional<ValueError> error_in(ParsedValue<T> value) {
  auto* error = std::get_if<ValueError>(&value);
  return error != nullptr ? std::optional(std::move(*error)) : std::nullopt;
}

/// A type whose values are scalars, as a part of a list or a map, which may hold anything.
template <typename T>
ValueType<T> scalar_part(ValueType<T> type, std::string expected = "must be one value") {
  type.read = [read = type.read, expected](const YamlNode& node) -> ParsedValue<T> {
    if (node.kind != YamlNode::Kind::scalar) return ValueError{expected, ""};
    return read(node);
  };
  return type;
}

}  // namespace sluice
