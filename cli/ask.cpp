#include "cli/ask.h"

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <stdexcept>

#include "base/daemon_sentences.h"
#include "base/value_or_throw.h"
#include "cli/command_line/add_value.h"
#include "cli/terminal/terminal.h"
#include "client/answer.h"
#include "client/older_daemon.h"
#include "config/config.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// A line for each error of a configuration that could not be loaded.
std::string config_errors(const json::object& answer) {
  std::string lines;
  if (!answer.contains("errors")) return lines;
  for (const json::value& each : answer.at("errors").as_array()) {
    const ConfigError error{std::string(each.at("file").as_string()),
                            each.at("line").to_number<int>(), each.at("column").to_number<int>(),
                            std::string(each.at("message").as_string())};
    lines += to_string(error) + "\n";
  }
  return lines;
}

}  // namespace

json::object ask(Client& client, const char* method, const std::string& target,
                 const std::string& body, const std::string& advice) {
  const ClientReply reply = value_or_throw(client.call(method, target, body));
  auto object = answer_object(reply);
  if (!object) throw std::runtime_error(kNotFromSluice);
  if (reply.status == 200) return *std::move(object);
  if (const auto older = older_daemon_sentence(reply, client.place())) {
    throw std::runtime_error(harmless(*older));
  }
  throw std::runtime_error(config_errors(*object) +
                           harmless(object->at("error").at("message").as_string()) +
                           (reply.status == 404 ? advice : ""));
}

std::string state_sentence(const json::object& answer) {
  std::string state = answer.at("paused").as_bool() ? "paused" : "open";
  if (const json::value* queue = answer.if_contains("queue")) {
    state = "queue " + json::value_to<std::string>(*queue) + " is " + state;
  } else if (answer.at("draining").as_bool()) {
    state = "draining";
  }
  return state + ": " + json::serialize(answer.at("running")) + " running, " +
         json::serialize(answer.at("pending")) + " pending";
}

void add_socket(CLI::App& command, std::string& socket) {
  add_value(command, "--socket", socket, "PATH",
            "The daemon's socket; default: SLUICE_SOCKET or the usual paths");
}

Client connect(const std::string& socket) { return value_or_throw(Client::connect(socket)); }

}  // namespace sluice::cli
