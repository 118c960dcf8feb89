#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/target.h"
#include "base/value_or_throw.h"
#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/declared.h"
#include "cli/permit/reach.h"
#include "cli/settings/config_from.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct SetArguments {
  std::string socket;
  std::string job;
  std::optional<int> priority;
  std::string queue;
  std::string position;
  bool freeze = false;
  bool unfreeze = false;
  std::optional<int> nice;
  std::vector<std::string> locks;
  NoDaemon no_daemon = NoDaemon::usual;
  bool json = false;
};

/// The body of the request. Throws one line that says which option is wrong.
json::object body_of(const SetArguments& arguments) {
  json::object body;
  if (arguments.priority) body["priority"] = *arguments.priority;
  if (!arguments.queue.empty()) body["queue"] = arguments.queue;
  if (!arguments.position.empty()) {
    body["position"] = value_or_throw(declared_position(arguments.position));
  }
  if (arguments.freeze || arguments.unfreeze) body["frozen"] = arguments.freeze;
  if (arguments.nice) body["nice"] = *arguments.nice;
  if (!arguments.locks.empty()) body["locks"] = value_or_throw(declared_locks(arguments.locks));
  if (body.empty()) refuse("nothing to change: give --priority or another option");
  return body;
}

/// "build-4711: place 2 in queue nightly, priority 9: needs 15 points, …"
std::string job_sentence(const json::object& job) {
  const auto text = [](const json::value& value) { return json::value_to<std::string>(value); };
  std::string line = text(job.at("id")) + ": ";
  if (job.at("place").is_null()) return line + text(job.at("state"));
  line += "place " + json::serialize(job.at("place")) + " in queue " + text(job.at("queue")) +
          ", priority " + json::serialize(job.at("priority"));
  const json::object* refusal = job.at("refusal").if_object();
  return refusal ? line + ": " + text(refusal->at("message")) : line;
}

int set(const SetArguments& arguments) {
  const json::object body = body_of(arguments);
  Client client = value_or_throw(
      reach_daemon(arguments.socket, arguments.no_daemon, kRestartTime, "sluice set"));
  const json::object job =
      ask(client, "PATCH", "/v1/jobs/" + percent_encode(arguments.job), json::serialize(body));
  std::cout << (arguments.json ? shown_json(json::serialize(job)) : job_sentence(job)) << "\n";
  return 0;
}

}  // namespace

void add_set(CLI::App& app, int& exit_status) {
  const auto [command, arguments] = add_command(
      app, exit_status, "set", "Change a waiting job, or the locks of a running one", set);
  add_value(command, "job", arguments.job, "JOB", "The job's id or number")->required();
  add_socket(command, arguments.socket);
  add_value(command, "--priority", arguments.priority, "N", "Larger runs first");
  add_value(command, "--queue", arguments.queue, "QUEUE",
            "Move the job to this queue; it keeps its age");
  add_value(command, "--position", arguments.position, "PLACE",
            "front, back, before:JOB or after:JOB, among jobs of its queue and priority");
  CLI::Option* freeze = command.add_flag("--freeze", arguments.freeze,
                                         "Keep it from starting; its waiting time still counts");
  command.add_flag("--unfreeze", arguments.unfreeze, "Let it start again")->excludes(freeze);
  add_value(command, "--nice", arguments.nice, "N", "Niceness of its processes, -20 to 19");
  add_value(command, "--lock", arguments.locks, "LOCK",
            "LEVEL=MODE, repeatable: replaces all declared locks; for a running job: "
            "the locks that it really holds")
      ->allow_extra_args(false);
  add_no_daemon(command, arguments.no_daemon, MayRun::no);
  command.add_flag("--json", arguments.json, "Print the daemon's answer as one JSON object");
  command.footer(
      "The daemon makes all changes or none; if none, it says why.\n\n"
      "Examples:\n"
      "  sluice set build-4711 --priority 9\n"
      "  sluice set build-4711 --queue nightly --position front\n"
      "  sluice set 17 --freeze\n"
      "  sluice set deploy-3 --lock node=shared:n1 --lock instance=none\n");
}

}  // namespace sluice::cli
