#include "cli/control.h"

#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "cli/ask.h"
#include "service/target.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct ControlArguments {
  std::string socket;
  std::string queue;
  bool wait = false;
  bool json = false;
};

std::string sentence(const std::string& verb, const json::object& answer) {
  if (verb == "reload") return "reloaded " + std::string(answer.at("file").as_string());
  std::string state = answer.at("paused").as_bool() ? "paused" : "open";
  if (const json::value* queue = answer.if_contains("queue")) {
    state = "queue " + json::value_to<std::string>(*queue) + " is " + state;
  } else if (answer.at("draining").as_bool()) {
    state = "draining";
  }
  return state + ": " + json::serialize(answer.at("running")) + " running, " +
         json::serialize(answer.at("pending")) + " pending";
}

/// Until nothing runs any more. What pends in a draining governor does not start.
int wait_until_drained(Client& client) {
  while (true) {
    const auto status = ask(client, "GET", "/v1/status");
    if (!status) return 2;
    if (!status->at("draining").as_bool()) {
      std::cerr << "sluice: somebody resumed it\n";
      return 1;
    }
    if (status->at("jobs").at("running").to_number<std::int64_t>() == 0) return 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

int control(const std::string& verb, const ControlArguments& arguments) {
  auto client = connect(arguments.socket);
  if (!client) return 2;
  const std::string place =
      arguments.queue.empty() ? "" : "queues/" + percent_encode(arguments.queue) + "/";
  const auto answer = ask(*client, "POST", "/v1/" + place + verb);
  if (!answer) return 2;
  std::cout << (arguments.json ? json::serialize(*answer) : sentence(verb, *answer)) << std::endl;
  return arguments.wait ? wait_until_drained(*client) : 0;
}

CLI::App* add(CLI::App& app, int& exit_status, const std::string& verb, const std::string& help,
              const std::string& examples) {
  CLI::App* command = app.add_subcommand(verb, help);
  auto arguments = std::make_shared<ControlArguments>();
  command->add_option("--socket", arguments->socket,
                      "The daemon's socket; otherwise SLUICE_SOCKET or the default");
  command->add_flag("--json", arguments->json, "The daemon's answer as one JSON object");
  if (verb == "pause" || verb == "resume") {
    command->add_option("--queue", arguments->queue, "Only this queue; otherwise all of them");
  }
  if (verb == "drain") command->add_flag("--wait", arguments->wait, "Return when nothing runs");
  command->callback([=, &exit_status] { exit_status = control(verb, *arguments); });
  command->footer("Examples:\n" + examples);
  return command;
}

}  // namespace

void add_control(CLI::App& app, int& exit_status) {
  add(app, exit_status, "pause", "Start no more jobs until `resume`; those that run go on",
      "  sluice pause\n"
      "  sluice pause --queue nightly\n");
  add(app, exit_status, "resume", "Start jobs again after `pause` or `drain`",
      "  sluice resume\n"
      "  sluice resume --queue nightly\n");
  add(app, exit_status, "drain", "Take no more jobs, and let those that run end",
      "  sluice drain --wait && systemctl stop sluice\n");
  add(app, exit_status, "reload", "Have the daemon read its configuration again, all or nothing",
      "  sluice reload\n");
}

}  // namespace sluice::cli
