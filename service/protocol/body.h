#pragma once

#include <algorithm>
#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/mapped.h"
#include "base/non_copyable.h"
#include "service/protocol/api_error.h"
#include "sluice/locks.h"

namespace sluice {

// Readers of request bodies: each converts the JSON value of a field, or returns an error that
// names the field. All are pure and never throw for any bytes.

using MaybeError = std::optional<ApiError>;

/// Most entries in each list and map of a body, except the names of locks.
inline constexpr std::size_t kMostEntries = 100;
/// Longest reason and longest parameter value, in bytes.
inline constexpr std::size_t kMostTextBytes = 1024;

/// A field as it is given.
struct Given {
  std::string field;  ///< As errors name it.
  const boost::json::value& value;
};

/// Reads a whole number in [least, most].
MaybeError read_whole(const Given& given, std::int64_t least, std::int64_t most,
                      std::int64_t& into);
MaybeError read_int(const Given& given, std::int64_t least, std::int64_t most,
                    std::optional<int>& into);
MaybeError read_truth(const Given& given, bool& into);
/// Reads the name of a queue, level or manager.
MaybeError read_name(const Given& given, std::string& into);
/// Reads text without control characters.
MaybeError read_line(const Given& given, std::size_t most, std::string& into);
/// Reads a job as clients name it: its id, or its number as text or number.
MaybeError read_job_name(const Given& given, std::string& into);
MaybeError read_lines(const Given& given, std::size_t most, std::vector<std::string>& into);
/// Reads `{"level": "exclusive:a,b"}`; errors name the field "locks.level".
MaybeError read_locks(const Given& given, std::optional<std::vector<LevelLocks>>& into);
MaybeError read_nice(const Given& given, std::optional<int>& into);
MaybeError read_priority(const Given& given, std::optional<int>& into);

/// Reads the members of an object that has at most `kMostEntries`, each under a valid name; `read`
/// gets the name and the value. Errors call a member `what`, and say what is `expected`.
template <typename Read>
MaybeError read_named(const Given& given, const std::string& what, const char* expected,
                      Read read) {
  const boost::json::object* members = given.value.if_object();
  if (!members || members->size() > kMostEntries) return bad_field(given.field, expected);
  for (const auto& [key, value] : *members) {
    std::string name(key.data(), key.size());
    if (const std::string problem = problem_of_name(name); !problem.empty()) {
      return bad_field(given.field, "has a " + what + " whose name " + problem);
    }
    const Given member{given.field + "." + name, value};
    if (auto error = read(std::move(name), member)) return error;
  }
  return std::nullopt;
}

/// A field of a body and its reader.
template <typename Body>
struct BodyField {
  const char* name;
  MaybeError (*read)(const Given&, Body&);
};

/// Error for an unknown field: suggests the one that was probably meant. `later`: fields known to
/// other versions.
ApiError unknown_field(std::string_view name, std::vector<std::string> known,
                       std::span<const std::string_view> later);

/// Reads every member of an object by its field; null counts as absent.
template <typename Body>
MaybeError read_members(const boost::json::object& object, std::span<const BodyField<Body>> fields,
                        std::span<const std::string_view> later, Body& body) {
  for (const auto& [name, value] : object) {
    const std::string_view text(name.data(), name.size());
    const auto field = std::ranges::find_if(fields, [&](auto& each) { return text == each.name; });
    if (field == fields.end()) {
      auto known = mapped(fields, [](auto& each) { return std::string(each.name); });
      return unknown_field(text, std::move(known), later);
    }
    if (value.is_null()) continue;
    if (auto error = field->read({field->name, value}, body)) return error;
  }
  return std::nullopt;
}

/// A parsed body: a JSON object; an empty body counts as an empty object.
class JsonBody : NonCopyable {
 public:
  explicit JsonBody(std::string_view text);

  const MaybeError& problem() const { return problem_; }
  /// Call it only if there is no problem.
  const boost::json::object& object() const { return value_.get_object(); }

 private:
  std::array<unsigned char, 4096> arena_;
  boost::json::monotonic_resource memory_{arena_.data(), arena_.size()};
  boost::json::value value_;
  MaybeError problem_;
};

/// Reads a body that has these fields.
template <typename Body>
std::variant<Body, ApiError> read_body(std::string_view text,
                                       std::span<const BodyField<Body>> fields,
                                       std::span<const std::string_view> later = {}) {
  const JsonBody json(text);
  if (json.problem()) return *json.problem();
  Body body;
  if (auto error = read_members<Body>(json.object(), fields, later, body)) {
    return *std::move(error);
  }
  return body;
}

}  // namespace sluice
