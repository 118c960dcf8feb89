#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <iostream>
#include <string>

#include "base/json_writer.h"
#include "base/target.h"
#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct CancelArguments {
  std::string socket;
  std::string job;
  bool json = false;
};

/// "build-4711: cancelled"; "build-4711: had ended before (ok)" if it has run.
std::string cancel_sentence(const json::object& job) {
  const auto text = [&](const char* field) { return json::value_to<std::string>(job.at(field)); };
  const std::string outcome = text("outcome");
  const bool has_run = !job.at("admitted").is_null();
  return text("id") + ": " + (has_run ? "had ended before (" + outcome + ")" : outcome);
}

int cancel(const CancelArguments& arguments) {
  Client client = connect(arguments.socket);
  const json::object job =
      ask(client, "DELETE", "/v1/jobs/" + percent_encode(arguments.job) + "?state=pending");
  std::cout << (arguments.json ? shown_json(json::serialize(job)) : cancel_sentence(job)) << "\n";
  return 0;
}

}  // namespace

void add_cancel(CLI::App& app, int& exit_status) {
  const auto [command, arguments] =
      add_command(app, exit_status, "cancel", "Cancel a waiting job", cancel);
  add_value(command, "job", arguments.job, "JOB", "The job's id or number")->required();
  add_socket(command, arguments.socket);
  command.add_flag("--json", arguments.json, "Print the daemon's answer as one JSON object");
  command.footer(
      "A `sluice run` whose job is cancelled exits with 75 without running its command. For jobs "
      "that name it in --after, their --on-failure decides. A running job is not cancelled: end "
      "its command instead.\n\n"
      "Exit status: 0 if the job is cancelled or has ended; 2 if it runs or does not exist.\n\n"
      "Examples:\n"
      "  sluice cancel build-4711\n"
      "  sluice cancel 17\n");
}

}  // namespace sluice::cli
