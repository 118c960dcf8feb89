#include "client/answer.h"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "base/item_variables.h"
#include "base/permit_variables.h"
#include "base/seconds.h"
#include "client/answer_fields.h"

namespace sluice {
namespace {
namespace json = boost::json;

/// A number that need not be whole.
std::optional<double> amount_at(const json::object& in, std::string_view name) {
  const json::value* value = in.if_contains(name);
  return value && value->is_number() ? std::optional(value->to_number<double>()) : std::nullopt;
}

/// A number in an object within the answer to GET /v1/status.
std::optional<std::int64_t> status_number(const ClientReply& reply, std::string_view object,
                                          std::string_view name) {
  const auto status = answer_object(reply);
  const json::object* within = status ? object_at(*status, object) : nullptr;
  return within ? number_at(*within, name) : std::nullopt;
}

/// The texts in an array.
std::vector<std::string> texts_in(const json::value& array) {
  std::vector<std::string> texts;
  for (const json::value& each : array.get_array()) {
    if (each.is_string()) texts.push_back(json::value_to<std::string>(each));
  }
  return texts;
}

/// nullopt if it is null or missing.
std::optional<Bytes> bytes_at(const json::object& in, std::string_view name) {
  const auto number = number_at(in, name);
  if (!number || *number < 0) return std::nullopt;
  return Bytes{static_cast<std::uint64_t>(*number)};
}

std::optional<Duration> expected_duration(const json::object& job) {
  constexpr double most = 1e9;  // Seconds.
  const json::object* expected = object_at(job, "prediction");
  if (!expected || text_at(*expected, "rung") != "key") return std::nullopt;
  const auto seconds = amount_at(*expected, "duration");
  if (!seconds || !(*seconds >= 0 && *seconds <= most)) return std::nullopt;
  return from_seconds(*seconds);
}

void tell_permit(const json::object& job, const std::string& permit, const std::string& socket,
                 std::map<std::string, std::string>& environment) {
  const auto cost = number_at(job, "cost");
  if (permit.empty() || !cost) return;
  const auto memory = number_at(job, "permit_memory");
  environment[kPermitVariable] = permit;
  environment[kPermitPoints] = std::to_string(*cost);
  environment[kPermitMemory] = memory ? std::to_string(*memory) : "";
  environment[kPermitSocket] = socket;
}

JobAnswer::State state_of(const json::object& job) {
  const std::string state = text_at(job, "state");
  if (state == "pending") return JobAnswer::State::pending;
  return state == "running" ? JobAnswer::State::running : JobAnswer::State::over;
}

std::string kind_of(const json::object& refusal) {
  return text_at(refusal, "code") + ' ' + text_at(refusal, "binding");
}

JobAnswer job_of(const json::object& job, const std::string& socket) {
  JobAnswer answer;
  answer.state = state_of(job);
  if (const auto number = number_at(job, "number")) answer.number = std::to_string(*number);
  answer.was_deduplicated = job.if_contains("deduplicated") != nullptr;
  const std::string cause = text_at(job, "ended_by");
  answer.was_cancelled = cause == "finish" || cause == "refused";
  if (const json::object* refusal = object_at(job, "refusal")) {
    answer.reason_kind = kind_of(*refusal);
    answer.reason = text_at(*refusal, "message");
    answer.ahead = text_at(*refusal, "ahead");
  }
  if (const auto next = bytes_at(job, "next_memory")) answer.next_memory = next->value;
  if (answer.state == JobAnswer::State::running) {
    static_cast<JobTerms&>(answer) = read_terms(job, text_at(job, "permit"), socket);
  }
  if (const json::object* why = object_at(job, "suspended")) {
    answer.suspended = text_at(*why, "message");
  }
  return answer;
}

}  // namespace

std::optional<json::object> answer_object(const ClientReply& reply) {
  json::error_code error;
  json::value value = json::parse(reply.body, error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

std::variant<JobAnswer, DaemonError, Unreadable> read_answer(const ClientReply& reply,
                                                             const std::string& socket) {
  const auto object = answer_object(reply);
  if (!object) return Unreadable{};
  const bool is_job = reply.status >= 200 && reply.status < 300;
  if (is_job) {
    JobAnswer answer = job_of(*object, socket);
    if (answer.number.empty()) return Unreadable{};
    return answer;
  }
  if (auto why = read_error(reply)) return *std::move(why);
  return Unreadable{};
}

JobTerms read_terms(const json::object& job, const std::string& permit, const std::string& socket) {
  ItemVariables variables;
  if (const json::object* items = object_at(job, "environment")) {
    for (const auto& [name, value] : *items) {
      if (value.is_string()) variables.offer(std::string(name), std::string(value.get_string()));
    }
  }
  JobTerms terms;
  terms.environment = std::move(variables.taken);
  terms.ignored = std::move(variables.ignored);
  tell_permit(job, permit, socket, terms.environment);
  constexpr int most_nice = 19;
  const auto nice = number_at(job, "nice");
  if (nice && *nice >= -most_nice - 1 && *nice <= most_nice) terms.nice = static_cast<int>(*nice);
  terms.memory_high = bytes_at(job, "memory_high");
  terms.memory_max = bytes_at(job, "memory_max");
  terms.expected = expected_duration(job);
  return terms;
}

std::optional<std::int64_t> process_of(const json::object& job) {
  const json::object* lease = object_at(job, "lease");
  return lease ? number_at(*lease, "pid") : std::nullopt;
}

std::optional<DaemonError> read_error(const ClientReply& reply) {
  const auto object = answer_object(reply);
  const json::object* why = object ? object_at(*object, "error") : nullptr;
  if (!why) return std::nullopt;
  return DaemonError{text_at(*why, "code"), text_at(*why, "message"), text_at(*why, "field")};
}

std::string failure_sentence(const ClientReply& reply, std::string_view target) {
  if (const auto why = read_error(reply)) return why->message;
  return std::string(target) + ": status " + std::to_string(reply.status) + ": " + reply.body;
}

std::optional<std::uint64_t> read_running_jobs(const ClientReply& reply) {
  const auto running = status_number(reply, "jobs", "running");
  if (!running || *running < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*running);
}

std::string read_limiting(const ClientReply& reply, const std::string& queue) {
  const auto status = answer_object(reply);
  if (!status) return "";
  const json::value* draining = status->if_contains("draining");
  if (draining && draining->is_bool() && draining->get_bool()) return "draining draining";
  const std::string base =
      queue.empty() || queue[0] == '/' ? "default" : queue.substr(0, queue.find('/'));
  const json::value* queues = status->if_contains("queues");
  const json::array* listed = queues ? queues->if_array() : nullptr;
  const json::array none;
  for (const json::value& each : listed ? *listed : none) {
    const json::object* object = each.if_object();
    if (!object || text_at(*object, "name") != base) continue;
    const json::value* paused = object->if_contains("paused");
    if (paused && paused->is_bool() && paused->get_bool()) return "queue_paused " + base;
  }
  const json::object* refusal = object_at(*status, "full");
  return refusal ? kind_of(*refusal) : "";
}

std::optional<Points> read_largest_window(const ClientReply& reply) {
  const auto maximum = status_number(reply, "window", "maximum");
  if (!maximum || *maximum < 1) return std::nullopt;
  return Points{*maximum};
}

std::optional<Bytes> read_free_memory(const ClientReply& reply) {
  const auto status = answer_object(reply);
  const json::object* memory = status ? object_at(*status, "memory") : nullptr;
  if (!memory) return std::nullopt;
  const auto promised = number_at(*memory, "promised");
  const auto others = number_at(*memory, "others");
  const auto kept = number_at(*memory, "kept");
  if (!promised || !others || !kept) return std::nullopt;
  return Bytes{static_cast<std::uint64_t>(std::max<std::int64_t>(0, *promised - *others - *kept))};
}

std::optional<BuildAnswer> read_build(const ClientReply& reply) {
  const auto build = answer_object(reply);
  const json::object* programs = build ? object_at(*build, "programs") : nullptr;
  const json::value* timers = build ? build->if_contains("timers") : nullptr;
  const json::value* hold = build ? build->if_contains("timed_hold") : nullptr;
  if (reply.status != 200 || !programs || !timers || !timers->is_array() || !hold) {
    return std::nullopt;
  }
  json::error_code no_number;
  const double held = hold->to_number<double>(no_number);
  constexpr double most = 1e6;  // Seconds.
  if (no_number || !(held >= 0 && held <= most)) return std::nullopt;
  BuildAnswer answer;
  for (const auto& [name, _] : *programs) answer.programs[name] = text_at(*programs, name);
  answer.timers = texts_in(*timers);
  // Earlier daemons learned none.
  const json::value* learned = build->if_contains("learned");
  if (learned && learned->is_array()) answer.learned = texts_in(*learned);
  answer.timed_hold = from_seconds(held);
  return answer;
}

std::optional<FitAnswer> read_fit(const ClientReply& reply) {
  const auto fit = answer_object(reply);
  const auto jobs = fit ? number_at(*fit, "jobs") : std::nullopt;
  if (reply.status != 200 || !jobs || *jobs < 1) return std::nullopt;
  return FitAnswer{static_cast<std::size_t>(*jobs), text_at(*fit, "bound"), text_at(*fit, "rung"),
                   amount_at(*fit, "cores"), amount_at(*fit, "memory")};
}

}  // namespace sluice
