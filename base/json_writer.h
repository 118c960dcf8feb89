#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// Appends JSON to a string. The output is valid for any input: invalid UTF-8 is replaced with
/// U+FFFD, numbers that are not finite become null. Calls must nest.
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
  JsonWriter& null() { return raw("null"); }
  /// A value as it is; it must be valid JSON.
  JsonWriter& raw(std::string_view text);

  template <typename T>
  JsonWriter& member(std::string_view name, const T& content) {
    key(name);
    return value(content);
  }
  /// The same for content that may be missing, and then is null; `write` writes its value.
  template <typename Maybe, typename Write>
  JsonWriter& member(std::string_view name, const Maybe& maybe, Write write) {
    key(name);
    if (!maybe) return null();
    write(*maybe);
    return *this;
  }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string& out_;
  bool first_ = true;  // No value precedes the next one in its object or array.
};

}  // namespace sluice
