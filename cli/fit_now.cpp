#include "cli/fit_now.h"

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <thread>
#include <utility>

#include "base/json_writer.h"
#include "base/socket_places.h"
#include "base/target.h"
#include "base/text.h"
#include "base/value_or_throw.h"
#include "cli/command_line/add_value.h"
#include "cli/settings/config_from.h"
#include "cli/terminal/terminal.h"
#include "client/client.h"
#include "costmodel/fit.h"
#include "costmodel/history.h"
#include "sluice/embed.h"
#include "sluice/prediction.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// Between the two readings that the first measurement of the CPUs takes: /proc/stat counts
/// hundredths of a second, so it is exact to 7 %, and the caller does not wait long.
constexpr Duration kBetweenReadings = std::chrono::milliseconds(150);
/// How long to wait for that measurement.
constexpr Duration kFirstSample = std::chrono::seconds(1);

FitAnswer ask_fit(Client& client, const FitQuestion& question) {
  const std::string target = "/v1/fit?key=" + percent_encode(question.key) +
                             "&program=" + percent_encode(question.program);
  const ClientReply reply = value_or_throw(client.call("GET", target));
  if (auto fit = read_fit(reply)) return FitAnswer{*std::move(fit)};
  const auto why = reply.status == 404 ? std::nullopt : read_error(reply);
  refuse("the daemon at " + client.place() +
         " cannot say: " + (why ? harmless(why->message) : "it is another version"));
}

/// The snapshot of a governor that has measured the CPUs, if it can within a moment.
Status first_status(const Governor& governor) {
  const TimePoint until = Clock::now() + kFirstSample;
  Status status = governor.status();
  while (!status.cpu && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    status = governor.status();
  }
  return status;
}

FitAnswer measure(const FitQuestion& question) {
  Config config = config_from("");
  config.governing.state_dir = state_folder(question.state_dir, config);
  Assembly parts = assemble(config.governing, {nullptr, [](const std::string&) {}});
  parts.options.window.interval = kBetweenReadings;
  const auto history = parts.history;
  const Governor governor(std::move(parts.options), std::move(parts.sensors),
                          std::move(parts.cost_model));
  JobRequest job;
  job.key = question.key;
  job.program = question.program;
  job.measured = true;
  const Prediction need = history ? history->predict(job) : Prediction{};
  const Fit fit =
      fit_in(room_of(first_status(governor), usable_cpus()), need, config.governing.reservation.z);
  FitAnswer answer;
  answer.jobs = fit.jobs;
  answer.bound = to_string(fit.bound);
  answer.rung = to_string(need.rung);
  answer.cores = need.cores;
  if (need.memory) answer.memory = need.memory->mean;
  answer.source = "sensors";
  return answer;
}

std::string allows_no_more(const std::string& bound) {
  if (bound == "cpus") return "the CPUs allow no more";
  if (bound == "max") return "no more were wanted";
  return (bound == "window" ? "the window" : bound) + " allows no more";
}

}  // namespace

std::string FitAnswer::sentence() const {
  std::string text = std::to_string(jobs) + (jobs == 1 ? " fits: " : " fit: ");
  text += allows_no_more(bound);
  if (memory) text += "; one needs " + bytes_text(*memory);
  if (cores) text += (memory ? " and " : "; one needs ") + number_text(*cores, 1) + " cores";
  return text + " (" + known_by(rung) + ")";
}

std::string FitAnswer::json() const {
  json::object object{{"jobs", jobs}, {"bound", bound}, {"rung", rung}};
  object["cores"] = cores ? json::value(*cores) : json::value(nullptr);
  object["memory"] = memory ? json::value(*memory) : json::value(nullptr);
  object["source"] = source;
  return shown_json(json::serialize(object));
}

void add_kind(CLI::App& command, FitQuestion& question) {
  add_value(command, "--key", question.key, "KEY", "The kind of job, as in `sluice history`");
  add_value(command, "--program", question.program, "NAME",
            "The program that each job runs, for kinds of which nothing is known");
  add_value(command, "--max", question.most, "N", "Allow no more than this")
      ->check(CLI::Range(1, 100000));
}

FitAnswer at_most(FitAnswer answer, const std::optional<std::size_t>& most) {
  if (!most || answer.jobs <= *most) return answer;
  answer.jobs = *most;
  answer.bound = "max";
  return answer;
}

FitAnswer fit_now(const FitQuestion& question, const char* name) {
  auto reached = Client::reach(question.socket);
  if (auto* client = std::get_if<Client>(&reached)) {
    return at_most(ask_fit(*client, question), question.most);
  }
  const std::string& why = std::get<NotReached>(reached).message;
  if (!question.socket.empty()) refuse(why);
  FitAnswer answer = measure(question);
  if (is_socket_named("")) {
    std::cerr << name << ": measured without a daemon: " << why << "\n";
  }
  return at_most(std::move(answer), question.most);
}

}  // namespace sluice::cli
