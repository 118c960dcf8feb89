#include "cli/ask.h"

#include <boost/json.hpp>
#include <iostream>

#include "cli/permit/job_terms.h"
#include "cli/terminal/terminal.h"
#include "config/config.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// Lists the errors of a configuration that could not be loaded.
void print_errors(const json::object& answer) {
  if (!answer.contains("errors")) return;
  for (const json::value& each : answer.at("errors").as_array()) {
    const ConfigError error{std::string(each.at("file").as_string()),
                            each.at("line").to_number<int>(), each.at("column").to_number<int>(),
                            std::string(each.at("message").as_string())};
    std::cerr << to_string(error) << "\n";
  }
}

}  // namespace

std::optional<json::object> ask(Client& client, const char* method, const std::string& target,
                                const std::string& body) {
  const auto result = client.call(method, target, body);
  if (const auto* problem = std::get_if<std::string>(&result)) {
    std::cerr << "sluice: " << *problem << "\n";
    return std::nullopt;
  }
  const auto& reply = std::get<ClientReply>(result);
  auto object = object_of(reply);
  if (!object) {
    std::cerr << "sluice: the answer is not from a sluice daemon\n";
    return std::nullopt;
  }
  if (reply.status == 200) return object;
  print_errors(*object);
  std::cerr << "sluice: " << harmless(object->at("error").at("message").as_string()) << "\n";
  return std::nullopt;
}

void add_socket(CLI::App& command, std::string& socket) {
  command
      .add_option("--socket", socket,
                  "The daemon's socket; default: SLUICE_SOCKET or the usual paths")
      ->type_name("PATH");
}

std::optional<Client> connect(const std::string& socket) {
  auto connected = Client::connect(socket);
  if (const auto* problem = std::get_if<std::string>(&connected)) {
    std::cerr << "sluice: " << *problem << "\n";
    return std::nullopt;
  }
  return std::move(std::get<Client>(connected));
}

}  // namespace sluice::cli
