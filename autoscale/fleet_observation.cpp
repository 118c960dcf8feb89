#include "autoscale/fleet_observation.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "autoscale/http_fetch.h"
#include "autoscale/json_reading.h"
#include "base/daemon_sentences.h"

namespace sluice {
namespace {
namespace json = boost::json;

using Report = std::variant<ExecutorReport, std::string>;

/// Which option is at fault if an executor refuses an order over TCP; empty if none is.
std::string token_at_fault(const Endpoint& place, const HttpCall& call, int status) {
  const bool refused = status == 401 || status == 403;
  if (!refused || call.method == "GET" || place.kind != Endpoint::Kind::plain) return "";
  return call.token.empty() ? "; --token-file is not given"
                            : "; it does not take the token of --token-file";
}

/// The reply if its status is 200, else one line.
std::variant<ClientReply, std::string> fetch(const Endpoint& place, const HttpCall& call,
                                             TimePoint deadline) {
  auto reply = http_fetch(place, call, deadline);
  const auto* answer = std::get_if<ClientReply>(&reply);
  if (!answer || answer->status == 200) return reply;
  return to_string(place) + " answers " + std::to_string(answer->status) + " to " + call.method +
         " " + call.target + message_in(answer->body, "/error/message", 200) +
         token_at_fault(place, call, answer->status);
}

void ask_into(ExecutorObservation& executor, const AskingOptions& options) {
  auto report = ask_executor(executor.place, options);
  if (auto* known = std::get_if<ExecutorReport>(&report)) {
    executor.report = std::move(*known);
  } else {
    executor.problem = std::get<std::string>(std::move(report));
  }
}

}  // namespace

Report ask_executor(const Endpoint& place, const AskingOptions& options) {
  const TimePoint deadline = Clock::now() + options.timeout;
  HttpCall call;
  call.target = "/v1/status";
  const auto status = fetch(place, call, deadline);
  if (const auto* problem = std::get_if<std::string>(&status)) return *problem;
  Report report = parse_report(std::get<ClientReply>(status).body);
  auto* known = std::get_if<ExecutorReport>(&report);
  if (known && known->pending > 0) {
    call.target = "/v1/jobs?state=pending&limit=" + std::to_string(kMostQueuedEach);
    const auto jobs = fetch(place, call, deadline);
    if (const auto* problem = std::get_if<std::string>(&jobs)) return *problem;
    report = with_jobs(std::move(*known), std::get<ClientReply>(jobs).body);
  }
  if (auto* problem = std::get_if<std::string>(&report)) return to_string(place) + ": " + *problem;
  return report;
}

void ask_executors(std::vector<ExecutorObservation>& executors, const AskingOptions& options) {
  constexpr std::size_t most_at_once = 64;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t at = next++; at < executors.size(); at = next++) {
      if (!executors[at].booting) ask_into(executors[at], options);
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 1; i < std::min(most_at_once, executors.size()); ++i) {
    workers.emplace_back(work);
  }
  work();
}

ToldExecutor tell_executor(const Endpoint& place, const std::string& verb,
                           const AskingOptions& options) {
  HttpCall call;
  call.method = "POST";
  call.target = "/v1/" + verb;
  call.token = place.kind == Endpoint::Kind::unix_socket ? "" : options.token;
  const auto reply = fetch(place, call, Clock::now() + options.timeout);
  if (const auto* problem = std::get_if<std::string>(&reply)) return {0, *problem};
  const json::value body = parse_object(std::get<ClientReply>(reply).body).value_or(nullptr);
  const json::value* running = find_at(body, "/running");
  const json::value* pending = find_at(body, "/pending");
  const json::value* draining = find_at(body, "/draining");
  if (!running || !running->is_number() || !pending || !pending->is_number() || !draining ||
      !draining->is_bool()) {
    return {0, to_string(place) + ": " + kNotFromSluice};
  }
  if (draining->get_bool() != (verb == "drain")) {
    return {0, to_string(place) + " was told to " + verb + " but did not"};
  }
  json::error_code wrong;
  return {running->to_number<std::int64_t>(wrong) + pending->to_number<std::int64_t>(wrong), ""};
}

const ExecutorObservation* find_executor(const FleetObservation& fleet, std::string_view id) {
  const auto found = std::ranges::find(fleet.executors, id, &ExecutorObservation::id);
  return found == fleet.executors.end() ? nullptr : &*found;
}

std::string twice_named(const std::vector<ExecutorObservation>& executors) {
  std::set<std::string_view> names;
  for (const ExecutorObservation& executor : executors) {
    if (!names.insert(executor.id).second) return executor.id;
  }
  return "";
}

}  // namespace sluice
