#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/target.h"
#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct ExplainArguments {
  std::string socket;
  std::string job;
  bool json = false;
};

std::string required_text(const json::object& object, std::string_view field) {
  return json::value_to<std::string>(object.at(field));
}

/// All blockers of the job; for a refused job, the reason.
std::vector<std::string> reasons_of(const json::object& job) {
  std::vector<std::string> reasons;
  const json::value* explained = job.if_contains("explain");
  const json::value* all = explained ? explained->as_object().if_contains("blockers") : nullptr;
  if (all) {
    for (const json::value& each : all->as_array()) {
      reasons.push_back(required_text(each.as_object(), "message"));
    }
  }
  const json::object* refusal = job.at("refusal").if_object();
  if (reasons.empty() && refusal) reasons.push_back(required_text(*refusal, "message"));
  return reasons;
}

/// "job build-4711 (build): pending"
std::string headline(const json::object& job) {
  const std::string key = required_text(job, "key");
  std::string line = "job " + required_text(job, "id") + (key.empty() ? "" : " (" + key + ")") +
                     ": " + required_text(job, "state");
  if (job.at("outcome").is_string()) {
    line += ", " + required_text(job, "outcome") + ", ended by " + required_text(job, "ended_by");
  }
  std::string why;
  for (const std::string& message : reasons_of(job)) why += (why.empty() ? "" : "; ") + message;
  return harmless(line + (why.empty() ? "" : ": " + why));
}

int explain(const ExplainArguments& arguments) {
  Client client = connect(arguments.socket);
  const json::object job =
      ask(client, "GET", "/v1/jobs/" + percent_encode(arguments.job), "",
          "; `sluice why " + harmless(arguments.job) + "` knows jobs that have gone");
  if (arguments.json) {
    std::cout << shown_json(json::serialize(job)) << "\n";
    return 0;
  }
  std::cout << headline(job) << "\n";
  const json::value* explained = job.if_contains("explain");
  if (!explained) return 0;
  // The daemon writes these lines, so that all clients show the same.
  for (const json::value& line : explained->at("text").as_array()) {
    std::cout << harmless(json::value_to<std::string>(line)) << "\n";
  }
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_status) {
  const auto [command, arguments] =
      add_command(app, exit_status, "explain", "Show in full why a job waits", explain);
  add_value(command, "job", arguments.job, "JOB", "The job's id or number")->required();
  add_socket(command, arguments.socket);
  command.add_flag("--json", arguments.json, "Print the daemon's answer as one JSON object");
  command.footer(
      "Shows what keeps the job from starting, its place, its weight and the running job behind "
      "each part of it, its age, and each resource manager it needs.\n\n"
      "Examples:\n"
      "  sluice explain build-4711\n"
      "  sluice explain 17 --json | jq .explain.levels\n");
}

}  // namespace sluice::cli
