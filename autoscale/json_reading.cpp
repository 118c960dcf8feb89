#include "autoscale/json_reading.h"

#include <boost/json/parse.hpp>

#include "base/text.h"

namespace sluice {
namespace json = boost::json;

std::optional<json::value> parse_object(std::string_view text) {
  json::error_code problem;
  json::value root = json::parse(text, problem);
  if (problem || !root.is_object()) return std::nullopt;
  return root;
}

const json::value* find_at(const json::value& root, std::string_view pointer) {
  json::error_code ignored;
  return root.find_pointer(pointer, ignored);
}

std::string text_at(const json::value& root, std::string_view pointer) {
  const json::value* found = find_at(root, pointer);
  const json::string* text = found ? found->if_string() : nullptr;
  return text ? std::string(*text) : "";
}

std::string message_in(std::string_view answer, std::string_view pointer, std::size_t most) {
  const auto root = parse_object(answer);
  const std::string message = root ? text_at(*root, pointer) : "";
  return message.empty() ? "" : ": " + printable(message, most);
}

}  // namespace sluice
