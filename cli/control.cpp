#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <iostream>

#include "base/json_writer.h"
#include "base/target.h"
#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct ControlArguments {
  std::string verb;
  std::string socket;
  std::string queue;
  bool json = false;
};

std::string control_sentence(const std::string& verb, const json::object& answer) {
  if (verb == "reload") {
    const json::string* file = answer.at("file").if_string();
    if (!file) return "re-read this host's limits; the daemon has no configuration file";
    std::string later;  // An older daemon does not say.
    const json::value* options = answer.if_contains("at_restart");
    for (const json::value& each : options ? options->as_array() : json::array{}) {
      later += (later.empty() ? "\nchanged, but read only at startup: " : ", ") +
               json::value_to<std::string>(each);
    }
    return "reloaded " + std::string(*file) + later +
           (later.empty() ? "" : "; restart the daemon to apply them");
  }
  return state_sentence(answer);
}

int control(const ControlArguments& arguments) {
  Client client = connect(arguments.socket);
  const std::string place =
      arguments.queue.empty() ? "" : "queues/" + percent_encode(arguments.queue) + "/";
  const auto answer = ask(client, "POST", "/v1/" + place + arguments.verb);
  std::cout << (arguments.json ? shown_json(json::serialize(answer))
                               : control_sentence(arguments.verb, answer))
            << std::endl;
  return 0;
}

void add_verb(CLI::App& app, int& exit_status, const char* verb, const std::string& help,
              const std::string& examples) {
  const auto [command, arguments] = add_command(app, exit_status, verb, help, control);
  arguments.verb = verb;
  add_socket(command, arguments.socket);
  command.add_flag("--json", arguments.json, "Print the daemon's answer as one JSON object");
  if (arguments.verb != "reload") {
    add_value(command, "--queue", arguments.queue, "QUEUE", "Only this queue; default: all");
  }
  command.footer("Examples:\n" + examples);
}

}  // namespace

void add_control(CLI::App& app, int& exit_status) {
  add_verb(app, exit_status, "pause", "Start no more jobs until `resume`; running jobs continue",
           "  sluice pause\n"
           "  sluice pause --queue nightly\n");
  add_verb(app, exit_status, "resume", "Start jobs again after `pause` or `drain`",
           "  sluice resume\n"
           "  sluice resume --queue nightly\n");
  add_verb(app, exit_status, "reload", "Make the daemon re-read its configuration, all or nothing",
           "  sluice reload\n");
}

}  // namespace sluice::cli
