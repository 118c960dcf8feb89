#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// Fields of an answer. One of another type counts as missing, so none of these throws for any
// answer. All are pure.

/// Null if it is missing.
inline const boost::json::object* object_at(const boost::json::object& in, std::string_view name) {
  const boost::json::value* value = in.if_contains(name);
  return value ? value->if_object() : nullptr;
}

/// Empty if it is missing.
inline std::string text_at(const boost::json::object& in, std::string_view name) {
  const boost::json::value* value = in.if_contains(name);
  const boost::json::string* text = value ? value->if_string() : nullptr;
  return text ? std::string(*text) : "";
}

inline std::optional<std::int64_t> number_at(const boost::json::object& in, std::string_view name) {
  const boost::json::value* value = in.if_contains(name);
  const std::int64_t* number = value ? value->if_int64() : nullptr;
  return number ? std::optional(*number) : std::nullopt;
}

}  // namespace sluice
