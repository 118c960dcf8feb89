#include "service/gearman/payload.h"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <utility>

#include "base/seconds.h"
#include "base/values.h"
#include "service/protocol/submit.h"

namespace sluice::gearman {
namespace {
namespace json = boost::json;

constexpr std::array<std::string_view, 13> kSubmitFields{
    "key",   "program",     "queue",     "priority", "inventory", "cost", "memory",
    "locks", "global_lock", "resources", "params",   "reasons",   "nice"};

constexpr std::size_t kMostWords = 1000;
constexpr std::size_t kMostDepth = 256;
constexpr double kMostSeconds = 30 * 24 * 3600.0;

using Problem = std::optional<std::string>;

Problem read_timeout(const json::value& value, std::optional<Duration>& into) {
  std::optional<Duration> given;
  if (value.is_number()) {
    const double seconds = value.to_number<double>();
    if (seconds > 0 && seconds <= kMostSeconds) {
      given = from_seconds(seconds);
    }
  } else if (const json::string* text = value.if_string()) {
    const auto parsed = parse_duration(*text);
    if (const Duration* duration = std::get_if<Duration>(&parsed)) given = *duration;
  }
  if (!given || *given <= Duration{0} || *given > std::chrono::hours(24 * 30)) {
    return "`timeout` must be a duration such as \"30min\", or a number of seconds, up to 30 days";
  }
  into = given;
  return std::nullopt;
}

Problem read_command(const json::value& value, std::vector<std::string>& into) {
  const auto wrong = "`command` must be a list of a program and its arguments";
  const json::array* words = value.if_array();
  if (!words || words->empty() || words->size() > kMostWords) return wrong;
  for (const json::value& word : *words) {
    const json::string* text = word.if_string();
    if (!text || text->find('\0') != text->npos) return wrong;
    into.emplace_back(std::string_view(*text));
  }
  if (into.front().empty()) return wrong;
  return std::nullopt;
}

/// What the payload leaves out comes from `base`.
JobRequest merged(JobRequest told, const JobRequest& base) {
  if (told.key.empty()) told.key = base.key;
  if (told.program.empty()) told.program = base.program;
  told.id = base.id;
  told.user = base.user;
  told.measured = base.measured;
  told.suspendable = base.suspendable;
  return told;
}

Problem read_request(const json::object& object, PayloadOrder& order) {
  json::object fields;
  for (const std::string_view name : kSubmitFields) {
    const json::value* value = object.if_contains(name);
    if (value && !value->is_null()) fields[name] = *value;
  }
  order.tells = !fields.empty();
  if (!order.tells) return std::nullopt;
  auto submit = parse_submit(json::serialize(fields));
  if (const auto* error = std::get_if<ApiError>(&submit)) return error->message;
  order.request = merged(std::move(std::get<Submit>(submit).request), order.request);
  return std::nullopt;
}

Problem read_object(const json::object& object, PayloadTrust trust, PayloadOrder& order) {
  if (auto problem = read_request(object, order)) return problem;
  const json::value* timeout = object.if_contains("timeout");
  if (timeout && !timeout->is_null()) {
    if (auto problem = read_timeout(*timeout, order.timeout)) return problem;
  }
  const json::value* command = object.if_contains("command");
  if (trust == PayloadTrust::commands && command && !command->is_null()) {
    return read_command(*command, order.command);
  }
  return std::nullopt;
}

}  // namespace

std::variant<PayloadOrder, std::string> read_payload(std::string_view payload,
                                                     const JobRequest& base, PayloadTrust trust) {
  PayloadOrder order;
  order.request = base;
  boost::system::error_code not_json;
  json::parse_options options;
  options.max_depth = kMostDepth;
  const json::value value = json::parse(payload, not_json, json::storage_ptr(), options);
  if (not_json == json::error::too_deep) {
    return "nested more than " + std::to_string(kMostDepth) + " deep";
  }
  if (not_json || !value.is_object()) return order;
  if (auto problem = read_object(value.get_object(), trust, order)) return std::move(*problem);
  return order;
}

}  // namespace sluice::gearman
