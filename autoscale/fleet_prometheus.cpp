#include "autoscale/fleet_prometheus.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "autoscale/http_fetch.h"
#include "autoscale/json_reading.h"
#include "base/parse.h"
#include "base/seconds.h"
#include "base/target.h"
#include "base/text.h"

namespace sluice {
namespace {
namespace json = boost::json;

const char* const kNotPrometheus = "the answer is not from a Prometheus server";

/// For one instance: the value of each metric, summed over its other labels.
using Series = std::map<std::string, double>;

double number_or_nan(const std::string& text) {
  return parse_as<double>(text).value_or(std::numeric_limits<double>::quiet_NaN());
}

class Values : public ReportProblem {
 public:
  explicit Values(const Series& series) : series_(series) {}

  double value(const char* metric, double most) {
    const auto found = series_.find(metric);
    if (found != series_.end()) return plausible(found->second, most, metric);
    say(std::string("it has no ") + metric);
    return 0;
  }

 private:
  const Series& series_;
};

/// The law is a label; older daemons do not say whether they are full.
constexpr const char* kKnee = "sluice_window_law_info knee";

Fullness fullness_of_series(const Series& series, Values& values) {
  if (!series.contains("sluice_full") || !series.contains(kKnee)) return Fullness::unknown;
  return values.value("sluice_full", 1) > 0 ? Fullness::full : Fullness::has_room;
}

void read_executor(const Series& series, double at, ExecutorObservation& executor) {
  constexpr double most_seconds = 3e9;
  constexpr double most_sum = 1e15;
  Values values(series);
  if (values.value("up", 1) == 0) {
    executor.problem = "Prometheus cannot scrape it";
    return;
  }
  ExecutorReport report;
  const auto most_points = static_cast<double>(kMostPoints.value);
  report.window = Points{std::llround(values.value("sluice_window_size", most_points))};
  report.usage = Points{std::llround(values.value("sluice_window_usage", most_sum))};
  report.draining = values.value("sluice_draining", 1) > 0;
  const double up = at - values.value("process_start_time_seconds", most_sum);
  report.up = from_seconds(up >= 0 && up <= most_seconds ? up : 0);
  report.running = std::llround(values.value("sluice_jobs_running", 1e7));
  report.pending = std::llround(values.value("sluice_jobs_pending", 1e7));
  const PendingSums sums{report.pending, std::llround(values.value("sluice_jobs_held", 1e7)),
                         Points{std::llround(values.value("sluice_pending_cost", most_sum))},
                         Points{std::llround(values.value("sluice_held_cost", most_sum))}};
  report.fullness = fullness_of_series(series, values);
  const double wait = values.value("sluice_queue_head_wait_seconds", most_seconds);
  append_pending(report.queued, sums, from_seconds(wait));
  report.wait_seconds = values.value("sluice_admission_wait_seconds_sum", most_sum);
  report.admitted =
      static_cast<std::uint64_t>(values.value("sluice_admission_wait_seconds_count", most_sum));
  report.duration_seconds = values.value("sluice_job_duration_seconds_sum", most_sum);
  report.ended =
      static_cast<std::uint64_t>(values.value("sluice_job_duration_seconds_count", most_sum));
  if (values.problem().empty()) {
    executor.report = std::move(report);
  } else {
    executor.problem = values.problem();
  }
}

/// Drops the port from the name of a host's only executor.
void name_by_hosts(std::vector<ExecutorObservation>& executors) {
  std::map<std::string, int> hosts;
  for (const ExecutorObservation& each : executors) ++hosts[each.place.host];
  for (ExecutorObservation& each : executors) {
    if (hosts[each.place.host] == 1) each.id = each.place.host;
  }
}

}  // namespace

std::string prometheus_target(const std::string& selector) {
  const std::string names =
      "up|process_start_time_seconds|sluice_(window_size|window_usage|window_law_info|full|"
      "draining|jobs_running|"
      "jobs_pending|pending_cost|jobs_held|held_cost|queue_head_wait_seconds|"
      "(admission_wait|job_duration)_seconds_(sum|count))";
  const std::string query =
      "{__name__=~\"" + names + "\"" + (selector.empty() ? "" : "," + selector) + "}";
  return "/api/v1/query?query=" + percent_encode(query);
}

FleetMembers read_prometheus(std::string_view answer) {
  const auto parsed = parse_object(answer);
  if (!parsed) return std::string(kNotPrometheus);
  const json::value& root = *parsed;
  if (text_at(root, "/status") != "success") {
    const std::string error = text_at(root, "/error");
    return error.empty() ? std::string(kNotPrometheus) : "it says: " + printable(error, 300);
  }
  const json::value* result = find_at(root, "/data/result");
  if (!result || !result->is_array()) return std::string(kNotPrometheus);
  std::map<std::string, Series> instances;
  double at = 0;
  for (const json::value& series : result->get_array()) {
    const std::string instance = text_at(series, "/metric/instance");
    const std::string law = text_at(series, "/metric/law");
    const std::string metric = text_at(series, "/metric/__name__") + (law.empty() ? "" : " " + law);
    const json::value* time = find_at(series, "/value/0");
    if (instance.empty() || metric.empty() || !time || !time->is_number()) {
      return std::string(kNotPrometheus);
    }
    at = time->to_number<double>();
    double& value = instances[instance].try_emplace(metric, 0).first->second;
    const double number = number_or_nan(text_at(series, "/value/1"));
    // The waits of its queues are not added up: the longest counts.
    const bool adds = metric != "sluice_queue_head_wait_seconds";
    value = adds ? value + number : number < value ? value : number;
  }
  std::vector<ExecutorObservation> executors;
  for (const auto& [instance, series] : instances) {
    if (!series.contains("up")) continue;
    ExecutorObservation executor;
    executor.id = instance;
    const auto place = parse_endpoint(instance);
    if (const auto* wrong = std::get_if<std::string>(&place)) return "its label instance " + *wrong;
    executor.place = std::get<Endpoint>(place);
    read_executor(series, at, executor);
    executors.push_back(std::move(executor));
  }
  name_by_hosts(executors);
  if (executors.empty()) {
    return std::string("it knows no executor: no series `up` has these labels");
  }
  return executors;
}

FleetMembers ask_prometheus(const PrometheusOptions& options) {
  HttpCall call;
  call.target = prometheus_target(options.selector);
  call.token = options.token;
  call.authorities = options.authorities;
  const auto reply = http_fetch(options.server, call, Clock::now() + options.timeout);
  if (const auto* problem = std::get_if<std::string>(&reply)) return "Prometheus at " + *problem;
  const ClientReply& answer = std::get<ClientReply>(reply);
  if (answer.status != 200) {
    return "Prometheus at " + to_string(options.server) + " answers " +
           std::to_string(answer.status) + message_in(answer.body, "/error", 300);
  }
  FleetMembers members = read_prometheus(answer.body);
  if (const auto* problem = std::get_if<std::string>(&members)) {
    return "Prometheus at " + to_string(options.server) + ": " + *problem;
  }
  return members;
}

}  // namespace sluice
