#include "service/submit.h"

#include <algorithm>
#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <limits>

#include "config/suggest.h"
#include "config/values.h"

namespace sluice {
namespace {
namespace json = boost::json;

using MaybeError = std::optional<ApiError>;

ApiError bad(const char* field, std::string message) {
  return {400, "bad_value", "`" + std::string(field) + "` " + std::move(message), field, {}};
}

/// A whole number in [least, most], or why not.
MaybeError read_whole(const char* field, const json::value& value, std::int64_t least,
                      std::int64_t most, std::int64_t& into) {
  const std::int64_t* number = value.if_int64();
  if (!number || *number < least || *number > most) {
    return bad(field, "must be a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most));
  }
  into = *number;
  return std::nullopt;
}

MaybeError read_int(const char* field, const json::value& value, std::int64_t least,
                    std::int64_t most, std::optional<int>& into) {
  std::int64_t number = 0;
  if (auto error = read_whole(field, value, least, most, number)) return error;
  into = static_cast<int>(number);
  return std::nullopt;
}

MaybeError read_id(const json::value& value, Submit& submit) {
  const json::string* text = value.if_string();
  const auto printable = [](char c) { return c > ' ' && c < 127 && c != '/'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!text || text->empty() || text->size() > kMostIdBytes ||
      !std::all_of(text->begin(), text->end(), printable)) {
    return bad("id", "must be 1 to 128 printable ASCII characters without space and `/`");
  }
  if (std::all_of(text->begin(), text->end(), digit)) {
    return bad("id", "must not be digits only, which are the daemon's own numbers");
  }
  submit.id.assign(text->data(), text->size());
  return std::nullopt;
}

MaybeError read_key(const json::value& value, Submit& submit) {
  const json::string* text = value.if_string();
  if (!text || text->size() > kMostKeyBytes) {
    return bad("key", "must be a text of at most 256 bytes");
  }
  // It is shown on terminals and in logs, which obey such characters.
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(text->begin(), text->end(), control)) {
    return bad("key", "must not contain control characters");
  }
  submit.request.key.assign(text->data(), text->size());
  return std::nullopt;
}

MaybeError read_priority(const json::value& value, Submit& submit) {
  constexpr std::int64_t most = 1'000'000;
  return read_int("priority", value, -most, most, submit.request.priority);
}

MaybeError read_inventory(const json::value& value, Submit& submit) {
  return read_int("inventory", value, 0, 1'000'000, submit.request.inventory);
}

MaybeError read_cost(const json::value& value, Submit& submit) {
  Points cost;
  if (auto error = read_whole("cost", value, 1, kMostPoints.value, cost.value)) return error;
  submit.request.cost = cost;
  return std::nullopt;
}

MaybeError read_reports_started(const json::value& value, Submit& submit) {
  const bool* truth = value.if_bool();
  if (!truth) return bad("reports_started", "must be true or false");
  submit.request.reports_started = *truth;
  return std::nullopt;
}

MaybeError read_pid(const json::value& value, Submit& submit) {
  if (const json::string* text = value.if_string(); text && *text == "peer") {
    submit.process = Submit::PeerProcess{};
    return std::nullopt;
  }
  std::int64_t pid = 0;
  if (read_whole("pid", value, 1, std::numeric_limits<pid_t>::max(), pid)) {
    return bad("pid", "must be the number of a process, or \"peer\"");
  }
  submit.process = static_cast<pid_t>(pid);
  return std::nullopt;
}

MaybeError read_hold(const json::value& value, Submit& submit) {
  const json::string* text = value.if_string();
  if (!text || *text != "connection") return bad("hold", "must be \"connection\"");
  submit.hold = Submit::Hold::connection;
  return std::nullopt;
}

MaybeError read_heartbeat(const json::value& value, Submit& submit) {
  const json::string* text = value.if_string();
  const auto parsed = text ? parse_duration({text->data(), text->size()}) : ValueError{};
  const Duration* duration = std::get_if<Duration>(&parsed);
  if (!duration || *duration < std::chrono::seconds(1) || *duration > std::chrono::hours(24)) {
    return bad("heartbeat", "must be a duration from 1s to 24h, such as \"60s\"");
  }
  submit.heartbeat = *duration;
  return std::nullopt;
}

struct Field {
  const char* name;
  MaybeError (*read)(const json::value&, Submit&);
};

constexpr std::array<Field, 9> kFields{{{"id", read_id},
                                        {"key", read_key},
                                        {"priority", read_priority},
                                        {"inventory", read_inventory},
                                        {"cost", read_cost},
                                        {"reports_started", read_reports_started},
                                        {"pid", read_pid},
                                        {"hold", read_hold},
                                        {"heartbeat", read_heartbeat}}};

/// What a scenario may say of a job, and a submit cannot yet.
constexpr std::array<std::string_view, 15> kLaterFields{
    "queue",  "locks", "global_lock", "resources", "memory", "after",    "on_failure", "reasons",
    "params", "nice",  "runs",        "outcome",   "frozen", "position", "at"};

ApiError unknown_field(std::string_view name) {
  ApiError error{400, "unknown_field", "unknown field " + quote_text(name), std::string(name), {}};
  if (std::find(kLaterFields.begin(), kLaterFields.end(), name) != kLaterFields.end()) {
    error.code = "not_available";
    error.message = "`" + std::string(name) + "` is not available in this version";
    return error;
  }
  std::vector<std::string> names;
  for (const Field& field : kFields) names.emplace_back(field.name);
  if (const auto near = closest_word(name, names)) {
    error.message += "; did you mean `" + *near + "`?";
  } else {
    error.message += "; there are " + join_words(names);
  }
  return error;
}

std::variant<Submit, ApiError> read_fields(const json::object& object) {
  Submit submit;
  for (const auto& [name, value] : object) {
    const std::string_view text(name.data(), name.size());
    const auto field = std::find_if(kFields.begin(), kFields.end(),
                                    [&](const Field& each) { return text == each.name; });
    if (field == kFields.end()) return unknown_field(text);
    if (value.is_null()) continue;
    if (auto error = field->read(value, submit)) return *std::move(error);
  }
  return submit;
}

}  // namespace

std::variant<Submit, ApiError> parse_submit(std::string_view body) {
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return Submit{};
  std::array<unsigned char, 4096> arena;
  json::monotonic_resource memory(arena.data(), arena.size());
  json::parse_options options;
  options.max_depth = 8;
  json::error_code failure;
  const json::value value = json::parse({body.data(), body.size()}, failure, &memory, options);
  if (failure) {
    return ApiError{400, "bad_json", "the body is no JSON: " + failure.message(), "", {}};
  }
  const json::object* object = value.if_object();
  if (!object) return ApiError{400, "bad_json", "the body must be a JSON object", "", {}};
  return read_fields(*object);
}

std::variant<Duration, ApiError> parse_wait(std::string_view text) {
  const auto parsed = parse_duration(text);
  const Duration* duration = std::get_if<Duration>(&parsed);
  if (!duration || *duration < Duration{0} || *duration > std::chrono::minutes(5)) {
    return bad("wait", "must be a duration from 0s to 5min, such as 30s");
  }
  return *duration;
}

}  // namespace sluice
