#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/seconds.h"
#include "sluice/units.h"

namespace sluice {

/// Appends JSON to a string. The output is valid for any input: invalid UTF-8 is replaced with
/// U+FFFD, numbers that are not finite become null; control characters, also those of
/// `is_control_sequence`, are escaped. Calls must nest.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(std::same_as<bool> auto truth) { return raw(truth ? "true" : "false"); }
  JsonWriter& value(double number);
  JsonWriter& value(std::integral auto number) requires(!std::same_as<decltype(number), bool>) {
    return raw(std::to_string(number));
  }
  JsonWriter& value(Points points) { return value(points.value); }
  JsonWriter& value(Bytes bytes) { return value(bytes.value); }
  /// Seconds.
  JsonWriter& value(Duration duration) { return value(to_seconds(duration)); }
  template <typename T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  /// An array.
  template <typename T>
  JsonWriter& value(const std::vector<T>& list) {
    begin_array();
    for (const T& each : list) value(each);
    return end_array();
  }
  /// An object.
  template <typename T>
  JsonWriter& value(const std::map<std::string, T>& members) {
    begin_object();
    for (const auto& [name, content] : members) member(name, content);
    return end_object();
  }
  JsonWriter& null() { return raw("null"); }
  /// A value as it is; it must be valid JSON.
  JsonWriter& raw(std::string_view text);

  template <typename T>
  JsonWriter& member(std::string_view name, const T& content) {
    key(name);
    return value(content);
  }
  /// The same for content that may be missing, and then is null; `write` writes its value or
  /// returns it.
  template <typename Maybe, typename Write>
  JsonWriter& member(std::string_view name, const Maybe& maybe, Write write) {
    key(name);
    if (!maybe) return null();
    if constexpr (std::is_void_v<std::invoke_result_t<Write&, decltype(*maybe)>>) {
      write(*maybe);
      return *this;
    } else {
      return value(std::invoke(write, *maybe));
    }
  }
  /// A text that is null if it is empty.
  JsonWriter& member_or_null(std::string_view name, std::string_view text) {
    key(name);
    return text.empty() ? null() : value(text);
  }
  /// An array; `write` writes each entry.
  template <typename List, typename Write>
  JsonWriter& list(std::string_view name, const List& entries, Write write) {
    key(name).begin_array();
    for (const auto& each : entries) write(each);
    return end_array();
  }
  /// An object; `write` writes the member for each entry.
  template <typename List, typename Write>
  JsonWriter& object(std::string_view name, const List& entries, Write write) {
    key(name).begin_object();
    for (const auto& each : entries) write(each);
    return end_object();
  }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string& out_;
  bool first_ = true;  // No value precedes the next one in its object or array.
};

/// The text that `write` writes.
template <typename Write>
std::string json_text(Write write) {
  std::string text;
  JsonWriter json(text);
  write(json);
  return text;
}

/// JSON of another writer with those characters escaped, so that it is safe on a terminal. Pure.
std::string shown_json(std::string_view json);

}  // namespace sluice
