#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// Reads JSON of others. All functions are pure and never throw for any bytes.

/// A JSON object; nullopt if the text is none.
std::optional<boost::json::value> parse_object(std::string_view text);

/// The value at a JSON pointer; null if there is none.
const boost::json::value* find_at(const boost::json::value& root, std::string_view pointer);

/// The text there; empty if there is none.
std::string text_at(const boost::json::value& root, std::string_view pointer);

/// What an answer says at the pointer, for people: ": message", or nothing if it says nothing.
std::string message_in(std::string_view answer, std::string_view pointer, std::size_t most);

}  // namespace sluice
