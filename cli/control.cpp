#include "cli/control.h"

#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "config/config.h"
#include "service/client.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct ControlArguments {
  std::string socket;
  bool wait = false;
  bool json = false;
};

/// The answer as an object; prints what went wrong and gives none otherwise.
std::optional<json::object> ask(Client& client, const char* method, const std::string& target) {
  const auto result = client.call(method, target);
  if (const auto* problem = std::get_if<std::string>(&result)) {
    std::cerr << "sluice: " << *problem << "\n";
    return std::nullopt;
  }
  const auto& reply = std::get<ClientReply>(result);
  json::error_code problem;
  json::value value = json::parse(reply.body, problem);
  if (problem || !value.is_object()) {
    std::cerr << "sluice: the answer is not from a sluice daemon\n";
    return std::nullopt;
  }
  if (reply.status == 200) return std::move(value.get_object());
  const json::object& object = value.get_object();
  for (const json::value& each :
       object.contains("errors") ? object.at("errors").as_array() : json::array()) {
    const ConfigError error{std::string(each.at("file").as_string()),
                            each.at("line").to_number<int>(), each.at("column").to_number<int>(),
                            std::string(each.at("message").as_string())};
    std::cerr << to_string(error) << "\n";
  }
  std::cerr << "sluice: " << object.at("error").at("message").as_string().c_str() << "\n";
  return std::nullopt;
}

std::string sentence(const std::string& verb, const json::object& answer) {
  if (verb == "reload") return "reloaded " + std::string(answer.at("file").as_string());
  std::string state = answer.at("paused").as_bool() ? "paused" : "open";
  if (answer.at("draining").as_bool()) state = "draining";
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
  auto connected = Client::connect(arguments.socket);
  if (const auto* problem = std::get_if<std::string>(&connected)) {
    std::cerr << "sluice: " << *problem << "\n";
    return 2;
  }
  Client& client = std::get<Client>(connected);
  const auto answer = ask(client, "POST", "/v1/" + verb);
  if (!answer) return 2;
  std::cout << (arguments.json ? json::serialize(*answer) : sentence(verb, *answer)) << std::endl;
  return arguments.wait ? wait_until_drained(client) : 0;
}

CLI::App* add(CLI::App& app, int& exit_status, const std::string& verb, const std::string& help,
              const std::string& examples) {
  CLI::App* command = app.add_subcommand(verb, help);
  auto arguments = std::make_shared<ControlArguments>();
  command->add_option("--socket", arguments->socket,
                      "The daemon's socket; otherwise SLUICE_SOCKET or the default");
  command->add_flag("--json", arguments->json, "The daemon's answer as one JSON object");
  if (verb == "drain") command->add_flag("--wait", arguments->wait, "Return when nothing runs");
  command->callback([=, &exit_status] { exit_status = control(verb, *arguments); });
  command->footer("Examples:\n" + examples);
  return command;
}

}  // namespace

void add_control(CLI::App& app, int& exit_status) {
  add(app, exit_status, "pause", "Start no more jobs until `resume`; those that run go on",
      "  sluice pause\n");
  add(app, exit_status, "resume", "Start jobs again after `pause` or `drain`", "  sluice resume\n");
  add(app, exit_status, "drain", "Take no more jobs, and let those that run end",
      "  sluice drain --wait && systemctl stop sluice\n");
  add(app, exit_status, "reload", "Have the daemon read its configuration again, all or nothing",
      "  sluice reload\n");
}

}  // namespace sluice::cli
