#include "service/protocol/body.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <set>

#include "base/suggest.h"
#include "service/protocol/submit.h"

namespace sluice {
namespace {
namespace json = boost::json;

/// Text ends up on terminals and in logs, which interpret control characters.
bool has_control(std::string_view text) {
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  return std::any_of(text.begin(), text.end(), control);
}

std::size_t members_of(const json::value& value) {
  std::size_t members = 0;
  if (const json::object* object = value.if_object()) {
    members = object->size();
    for (const auto& [key, member] : *object) members += members_of(member);
  } else if (const json::array* list = value.if_array()) {
    for (const json::value& each : *list) members += members_of(each);
  }
  return members;
}

/// The position after the string that starts at `at`, in valid JSON.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
  return at + 1;
}

/// Number of member names in valid JSON, including repeated ones.
std::size_t names_given(std::string_view text) {
  std::size_t names = 0;
  for (std::size_t at = 0; at < text.size();) {
    names += text[at] == ':' ? 1 : 0;
    at = text[at] == '"' ? behind_string(text, at) : at + 1;
  }
  return names;
}

/// The first repeated field in valid JSON that has one: "locks.node".
std::string repeated_field(std::string_view text) {
  struct Open {
    bool takes_names = false, comes_name = false;
    std::string name;
    std::set<std::string> names;
  };
  std::vector<Open> open;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t next = c == '"' ? behind_string(text, at) : at + 1;
    if (c == '{' || c == '[') open.push_back({c == '{', c == '{', "", {}});
    if (c == '}' || c == ']') open.pop_back();
    if (c == ',') open.back().comes_name = open.back().takes_names;
    if (c == '"' && open.back().comes_name) {
      Open& inner = open.back();
      inner.comes_name = false;
      inner.name = std::string_view(json::parse(text.substr(at, next - at)).get_string());
      if (!inner.names.insert(inner.name).second) break;
    }
    at = next;
  }
  std::string field;
  for (const Open& each : open) {
    if (each.takes_names) field += (field.empty() ? "" : ".") + each.name;
  }
  return field;
}

std::size_t names_in(const LevelLocks& locks) {
  return locks.shared.size() + locks.exclusive.size();
}

}  // namespace

MaybeError read_whole(const Given& given, std::int64_t least, std::int64_t most,
                      std::int64_t& into) {
  const std::int64_t* number = given.value.if_int64();
  if (!number || *number < least || *number > most) {
    return bad_field(given.field, "must be a whole number from " + std::to_string(least) + " to " +
                                      std::to_string(most));
  }
  into = *number;
  return std::nullopt;
}

MaybeError read_int(const Given& given, std::int64_t least, std::int64_t most,
                    std::optional<int>& into) {
  std::int64_t number = 0;
  if (auto error = read_whole(given, least, most, number)) return error;
  into = static_cast<int>(number);
  return std::nullopt;
}

MaybeError read_truth(const Given& given, bool& into) {
  const bool* truth = given.value.if_bool();
  if (!truth) return bad_field(given.field, "must be true or false");
  into = *truth;
  return std::nullopt;
}

MaybeError read_name(const Given& given, std::string& into) {
  const json::string* text = given.value.if_string();
  if (!text) return bad_field(given.field, "must be a name");
  if (const std::string problem = problem_of_name(*text); !problem.empty()) {
    return bad_field(given.field, problem);
  }
  into = std::string_view(*text);
  return std::nullopt;
}

MaybeError read_line(const Given& given, std::size_t most, std::string& into) {
  const json::string* text = given.value.if_string();
  if (!text || text->size() > most) {
    return bad_field(given.field, "must be a text of at most " + std::to_string(most) + " bytes");
  }
  if (has_control(*text)) {
    return bad_field(given.field, "must not contain control characters");
  }
  into = std::string_view(*text);
  return std::nullopt;
}

MaybeError read_job_name(const Given& given, std::string& into) {
  if (const std::int64_t* number = given.value.if_int64(); number && *number > 0) {
    into = std::to_string(*number);
    return std::nullopt;
  }
  const json::string* text = given.value.if_string();
  if (!text || text->empty() || text->size() > kMostIdBytes || has_control(*text)) {
    return bad_field(given.field, "must name a job by its id or its number");
  }
  into = std::string_view(*text);
  return std::nullopt;
}

MaybeError read_lines(const Given& given, std::size_t most, std::vector<std::string>& into) {
  const json::array* list = given.value.if_array();
  if (!list || list->size() > kMostEntries) {
    return bad_field(given.field,
                     "must be a list of at most " + std::to_string(kMostEntries) + " texts");
  }
  for (const json::value& each : *list) {
    if (auto error = read_line({given.field, each}, most, into.emplace_back())) return error;
  }
  return std::nullopt;
}

MaybeError read_locks(const Given& given, std::optional<std::vector<LevelLocks>>& into) {
  std::vector<LevelLocks> locks;
  std::size_t names = 0;
  const auto read_level = [&](std::string level, const Given& declared) -> MaybeError {
    const json::string* text = declared.value.if_string();
    if (!text) return bad_field(declared.field, "must be a text such as \"exclusive:a,b\"");
    auto parsed = parse_locks(std::move(level), *text);
    if (const auto* problem = std::get_if<std::string>(&parsed)) {
      return bad_content(declared.field, *problem);
    }
    locks.push_back(std::move(std::get<LevelLocks>(parsed)));
    names += names_in(locks.back());
    if (names > kMostLockNames) {
      return bad_field(declared.field, "names too many locks: a job may name at most " +
                                           std::to_string(kMostLockNames) + " across all levels");
    }
    return std::nullopt;
  };
  auto error = read_named(given, "level",
                          "must be an object of levels, such as {\"node\": \"exclusive:node1\"}",
                          read_level);
  if (!error) into = std::move(locks);
  return error;
}

MaybeError read_nice(const Given& given, std::optional<int>& into) {
  return read_int(given, -20, 19, into);
}

MaybeError read_priority(const Given& given, std::optional<int>& into) {
  constexpr std::int64_t most = 1'000'000;
  return read_int(given, -most, most, into);
}

ApiError unknown_field(std::string_view name, std::vector<std::string> known,
                       std::span<const std::string_view> later) {
  ApiError error{400, "unknown_field", "unknown field " + quote_text(name), std::string(name)};
  if (std::find(later.begin(), later.end(), name) != later.end()) {
    error.code = "not_available";
    error.message = "`" + std::string(name) + "` is not available in this version";
    return error;
  }
  error.message += did_you_mean(name, known, "; there are " + join_words(known));
  return error;
}

JsonBody::JsonBody(std::string_view text) : value_(json::object(&memory_)) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
  json::parse_options options;
  options.max_depth = 8;
  json::error_code failure;
  value_ = json::parse({text.data(), text.size()}, failure, &memory_, options);
  if (failure) {
    problem_ = ApiError{400, "bad_json", "the body is not JSON: " + failure.message()};
  } else if (!value_.is_object()) {
    problem_ = ApiError{400, "bad_json", "the body must be a JSON object"};
  } else if (names_given(text) != members_of(value_)) {
    std::string field = repeated_field(text);
    std::string message = "`" + field + "` is given twice";
    problem_ = ApiError{400, "repeated_field", std::move(message), std::move(field)};
  }
}

}  // namespace sluice
