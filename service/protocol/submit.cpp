#include "service/protocol/submit.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/values.h"
#include "service/protocol/body.h"

namespace sluice {
namespace {
namespace json = boost::json;

MaybeError read_id(const Given& given, Submit& submit) {
  const json::string* text = given.value.if_string();
  const auto printable = [](char c) { return c > ' ' && c < 127 && c != '/'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!text || text->empty() || text->size() > kMostIdBytes ||
      !std::all_of(text->begin(), text->end(), printable)) {
    return bad_field(given.field,
                     "must be 1 to 128 printable ASCII characters without space and `/`");
  }
  if (std::all_of(text->begin(), text->end(), digit)) {
    return bad_field(given.field, "must not be all digits: those are the daemon's own numbers");
  }
  submit.id = std::string_view(*text);
  return std::nullopt;
}

/// A size as text, or a number of bytes.
MaybeError read_memory(const Given& given, Submit& submit) {
  std::string expected = "must be a size such as \"512MiB\", or a whole number of bytes";
  const std::int64_t* bytes = given.value.if_int64();
  if (bytes && *bytes >= 0) submit.request.memory = Bytes{static_cast<std::uint64_t>(*bytes)};
  if (const json::string* text = given.value.if_string()) {
    const auto size = parse_size(*text);
    if (const auto* parsed = std::get_if<Bytes>(&size)) submit.request.memory = *parsed;
    const auto* wrong = std::get_if<ValueError>(&size);
    if (wrong && !wrong->hint.empty()) expected += "; " + wrong->hint;
  }
  if (!submit.request.memory) return bad_field(given.field, expected);
  if (*submit.request.memory <= kMostMemory) return std::nullopt;
  return bad_field(given.field, "must be at most 1048576TiB");
}

MaybeError read_cost(const Given& given, Submit& submit) {
  Points cost;
  if (auto error = read_whole(given, 1, kMostPoints.value, cost.value)) return error;
  submit.request.cost = cost;
  return std::nullopt;
}

MaybeError read_resources(const Given& given, Submit& submit) {
  return read_named(given, "manager", "must be an object of managers, such as {\"db\": 2}",
                    [&](std::string manager, const Given& units) {
                      submit.request.resources.push_back({std::move(manager), 0});
                      return read_whole(units, 0, kMostUnits,
                                        submit.request.resources.back().amount);
                    });
}

MaybeError read_after(const Given& given, Submit& submit) {
  const json::array* list = given.value.if_array();
  if (!list || list->size() > kMostEntries) {
    return bad_field(given.field, "must be a list of at most " + std::to_string(kMostEntries) +
                                      " jobs by id or number");
  }
  for (const json::value& each : *list) {
    if (auto error = read_job_name({given.field, each}, submit.after.emplace_back())) return error;
  }
  return std::nullopt;
}

MaybeError read_on_failure(const Given& given, Submit& submit) {
  const json::string* text = given.value.if_string();
  for (const OnFailure each : {OnFailure::cancel, OnFailure::run, OnFailure::hold}) {
    if (!text || *text != to_string(each)) continue;
    submit.request.on_failure = each;
    return std::nullopt;
  }
  return bad_field(given.field, "must be cancel, run or hold");
}

MaybeError read_params(const Given& given, Submit& submit) {
  return read_named(given, "parameter",
                    "must be an object of strings, such as {\"instance\": \"i1\"}",
                    [&](const std::string& name, const Given& text) {
                      return read_line(text, kMostTextBytes, submit.request.params[name]);
                    });
}

MaybeError read_pid(const Given& given, Submit& submit) {
  if (const json::string* text = given.value.if_string(); text && *text == "peer") {
    submit.process = Submit::PeerProcess{};
    return std::nullopt;
  }
  std::int64_t pid = 0;
  if (read_whole(given, 1, std::numeric_limits<pid_t>::max(), pid)) {
    return bad_field(given.field, "must be the number of a process, or \"peer\"");
  }
  submit.process = static_cast<pid_t>(pid);
  return std::nullopt;
}

MaybeError read_hold(const Given& given, Submit& submit) {
  const json::string* text = given.value.if_string();
  if (!text || *text != "connection") return bad_field(given.field, "must be \"connection\"");
  submit.hold = Submit::Hold::connection;
  return std::nullopt;
}

MaybeError read_heartbeat(const Given& given, Submit& submit) {
  const json::string* text = given.value.if_string();
  const auto parsed = text ? parse_duration(*text) : ValueError{};
  const Duration* duration = std::get_if<Duration>(&parsed);
  if (!duration || *duration < std::chrono::seconds(1) || *duration > std::chrono::hours(24)) {
    return bad_field(given.field, "must be a duration from 1s to 24h, such as \"60s\"");
  }
  submit.heartbeat = *duration;
  return std::nullopt;
}

MaybeError read_batch_limit(const Given& given, std::int64_t& limit) {
  return read_whole(given, 1, 1'000'000, limit);
}

constexpr std::array<BodyField<Submit>, 27> kSubmitFields{
    {{"id", read_id},
     {"parent",
      [](auto& in, auto& to) { return read_line(in, kMostKeyBytes, to.parent.emplace()); }},
     {"key", [](auto& in, auto& to) { return read_line(in, kMostKeyBytes, to.request.key); }},
     {"program",
      [](auto& in, auto& to) { return read_line(in, kMostKeyBytes, to.request.program); }},
     {"variant",
      [](auto& in, auto& to) { return read_line(in, kMostTextBytes, to.request.variant); }},
     {"measured", [](auto& in, auto& to) { return read_truth(in, to.request.measured); }},
     {"suspendable", [](auto& in, auto& to) { return read_truth(in, to.request.suspendable); }},
     {"memory", read_memory},
     {"queue", [](auto& in, auto& to) { return read_name(in, to.request.queue); }},
     {"priority", [](auto& in, auto& to) { return read_priority(in, to.request.priority); }},
     {"inventory",
      [](auto& in, auto& to) { return read_int(in, 0, 1'000'000, to.request.inventory); }},
     {"cost", read_cost},
     {"locks", [](auto& in, auto& to) { return read_locks(in, to.request.locks); }},
     {"global_lock", [](auto& in, auto& to) { return read_truth(in, to.request.global_lock); }},
     {"resources", read_resources},
     {"after", read_after},
     {"on_failure", read_on_failure},
     {"reasons",
      [](auto& in, auto& to) { return read_lines(in, kMostTextBytes, to.request.reasons); }},
     {"params", read_params},
     {"nice", [](auto& in, auto& to) { return read_nice(in, to.request.nice); }},
     {"reports_started",
      [](auto& in, auto& to) { return read_truth(in, to.request.reports_started); }},
     {"pid", read_pid},
     {"hold", read_hold},
     {"heartbeat", read_heartbeat},
     {"batch", [](auto& in, auto& to) { return read_line(in, kMostKeyBytes, to.batch.id); }},
     {"batch_waiting",
      [](auto& in, auto& to) { return read_batch_limit(in, to.batch.most_waiting); }},
     {"batch_unfinished",
      [](auto& in, auto& to) { return read_batch_limit(in, to.batch.most_unfinished); }}}};

/// Those of a stored job.
constexpr auto kStoredFields = [] {
  std::array<BodyField<Submit>, kSubmitFields.size() + 1> fields{};
  std::copy(kSubmitFields.begin(), kSubmitFields.end(), fields.begin());
  fields.back() = {"takes_turns",
                   [](auto& in, auto& to) { return read_truth(in, to.takes_turns.emplace()); }};
  return fields;
}();

/// Fields that a job may have in a scenario but not in a submit.
constexpr std::array<std::string_view, 5> kLaterFields{"runs", "outcome", "frozen", "position",
                                                       "at"};

std::variant<Submit, ApiError> read_submit(std::string_view text,
                                           std::span<const BodyField<Submit>> fields) {
  auto read = read_body<Submit>(text, fields, kLaterFields);
  if (std::holds_alternative<ApiError>(read)) return read;
  Submit& submit = std::get<Submit>(read);
  if (std::find(submit.after.begin(), submit.after.end(), submit.id) != submit.after.end()) {
    return bad_field("after", "names the job itself");
  }
  const ClientBatch& batch = submit.batch;
  if (batch.id.empty() && (batch.most_waiting > 0 || batch.most_unfinished > 0)) {
    return bad_field("batch", "is needed by `batch_waiting` and `batch_unfinished`");
  }
  submit.request.id = submit.id;
  submit.declared = {text.size(), elements_of(submit.request) + submit.after.size()};
  return read;
}

}  // namespace

std::variant<Submit, ApiError> parse_submit(std::string_view text) {
  return read_submit(text, kSubmitFields);
}

std::variant<Submit, ApiError> parse_stored_submit(std::string_view text) {
  return read_submit(text, kStoredFields);
}

std::variant<Duration, ApiError> parse_wait(std::string_view text) {
  const auto parsed = parse_duration(text);
  const Duration* duration = std::get_if<Duration>(&parsed);
  if (!duration || *duration < Duration{0} || *duration > std::chrono::minutes(5)) {
    return bad_field("wait", "must be a duration from 0s to 5min, such as 30s");
  }
  return *duration;
}

}  // namespace sluice
