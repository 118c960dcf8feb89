#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/json_writer.h"
#include "base/seconds.h"
#include "base/socket_places.h"
#include "base/value_or_throw.h"
#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/status/status_view.h"
#include "cli/status/watch.h"
#include "cli/status/watch_change.h"
#include "cli/terminal/terminal.h"
#include "client/answer.h"
#include "client/client.h"
#include "client/user_daemons.h"

namespace sluice::cli {
namespace {

struct StatusArguments {
  std::string socket;
  bool json = false;
  bool watch = false;
  double every = 1;
};

/// Sends a request; throws with one line for people unless the answer is good.
std::string ask(Client& client, std::string_view target) {
  ClientReply reply = value_or_throw(client.call("GET", target));
  if (reply.status != 200) {
    throw std::runtime_error(harmless(failure_sentence(reply, target)));
  }
  return std::move(reply.body);
}

/// The text of one sample, each line ended.
std::string poll(Client& client, const StatusArguments& arguments, const Style& style) {
  const std::string status = ask(client, "/v1/status");
  const std::string jobs = ask(client, "/v1/jobs");
  const bool is_named = is_socket_named(arguments.socket);
  if (arguments.json) {
    const auto further = is_named ? std::nullopt : std::optional(further_sockets());
    return shown_json(status_object(status, jobs, further) + "\n");
  }
  const std::string further = is_named ? "" : about_further_daemons();
  std::string text;
  for (const std::string& line : lines_of(view_of(status, jobs), style, 0)) text += line + "\n";
  return further.empty() ? text : text + "also: " + harmless(further) + "\n";
}

int execute_status(const StatusArguments& arguments) {
  if (arguments.watch) {
    return watch(arguments.socket, from_seconds(arguments.every),
                 arguments.json ? WatchFor::json : WatchFor::people);
  }
  Client client = connect(arguments.socket);
  std::cout << poll(client, arguments, style_of(STDOUT_FILENO));
  return 0;
}

}  // namespace

void add_status(CLI::App& app, int& exit_status) {
  const auto [status, arguments] =
      add_command(app, exit_status, "status",
                  "Show the window, sensors, what runs, what waits and why", execute_status);
  add_value(status, "--socket", arguments.socket, "PATH", "The daemon's socket");
  status.add_flag("--json", arguments.json,
                  "Print the daemon's status and jobs as one JSON object (docs/api.md)");
  status.add_flag("-w,--watch", arguments.watch,
                  "Show a live screen with the last 10 minutes, until q or Ctrl-C; with --json, "
                  "print one object per change");
  add_value(status, "--every", arguments.every, "SECONDS", "Seconds between updates of --watch")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  status.footer(
      "Examples:\n"
      "  sluice status\n"
      "  sluice status --watch\n"
      "  sluice status --watch --json | jq --unbuffered -r '.status.window.size'\n"
      "  sluice status --json | jq .status.window\n");
}

}  // namespace sluice::cli
