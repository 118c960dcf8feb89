#include "cli/jobserver/daemon.h"

#include <poll.h>

#include <boost/json.hpp>
#include <variant>

#include "cli/permit/admission.h"
#include "cli/permit/permit_environment.h"
#include "client/client.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// How long a daemon may take to be told that the command has ended.
constexpr int kFarewellMilliseconds = 1000;

int refuse(const JobserverReporter& reporter, const Refused& refused) {
  reporter.say("error", refused.message);
  return refused.status;
}

std::optional<std::string> path_of(Client& client, const std::string& number) {
  const auto result = client.call("GET", "/v1/jobservers/" + number);
  const auto* reply = std::get_if<ClientReply>(&result);
  if (!reply || reply->status != 200) return std::nullopt;
  const auto object = object_of(*reply);
  const json::value* path = object ? object->if_contains("path") : nullptr;
  return path && path->is_string() ? std::optional(json::value_to<std::string>(*path))
                                   : std::nullopt;
}

json::object body_of(const JobserverArguments& arguments, const JobserverClient& client) {
  json::object body{
      {"hold", "connection"}, {"pid", "peer"}, {"key", client.key}, {"program", client.program}};
  add_parent(body);
  if (arguments.most_jobs > 0) body["max"] = arguments.most_jobs;
  return body;
}

void tell_end(Client& client, const std::string& number, const ClientEnd& end,
              const JobserverClient& program, const JobserverReporter& reporter) {
  const std::string outcome = end.ok() ? "ok" : "failed";
  if (client.send("DELETE", "/v1/jobservers/" + number + "?outcome=" + outcome)) return;
  pollfd ready{client.descriptor(), POLLIN, 0};
  if (poll(&ready, 1, kFarewellMilliseconds) <= 0) return;
  const auto answer = client.receive();
  const auto* reply = answer ? std::get_if<ClientReply>(&*answer) : nullptr;
  if (!reply || reply->status != 200) return;
  const auto object = object_of(*reply);
  if (!object) return;
  const json::object& tokens = object->at("tokens").as_object();
  const auto count = [&](const char* name) { return tokens.at(name).to_number<std::size_t>(); };
  const auto suspended = object->at("suspended").to_number<std::uint64_t>();
  reporter.tell_end(
      program.program, end,
      {count("granted"), count("lost"), count("most_granted"), count("granted_ever"), suspended});
}

}  // namespace

int run_jobserver_of_daemon(const JobserverArguments& arguments,
                            const JobserverReporter& reporter) {
  const JobserverClient program = look_at_client(arguments, reporter);
  const SignalDescriptor signals(kCommandSignals);
  auto connected = Client::connect(arguments.socket);
  if (auto* problem = std::get_if<std::string>(&connected)) {
    return refuse(reporter, {kUnusable, std::move(*problem)});
  }
  Client& client = std::get<Client>(connected);
  Waiting waiting;
  waiting.telling = arguments.telling;
  waiting.target = "/v1/jobservers";
  waiting.name = "sluice jobserver";
  const auto admitted =
      wait_for_admission(client, signals, json::serialize(body_of(arguments, program)), waiting);
  if (const auto* refused = std::get_if<Refused>(&admitted)) return refuse(reporter, *refused);
  const std::string& number = std::get<AdmittedJob>(admitted).number;
  const auto path = path_of(client, number);
  if (!path) return refuse(reporter, {kUnusable, "the daemon does not say where the tokens are"});
  const auto setting = ClientSetting::make(*path, program.styles);
  if (const auto* problem = std::get_if<std::string>(&setting)) {
    return refuse(reporter, {kUnusable, *problem});
  }
  reporter.mention("open", "tokens come through " + *path + " (" +
                               std::string(to_string(program.styles.makeflags)) +
                               ") from the daemon");
  Meanwhile meanwhile;
  meanwhile.environment = std::get<AdmittedJob>(admitted).terms.environment;
  const ClientEnd end =
      run_client(arguments, std::get<ClientSetting>(setting), signals, reporter, meanwhile);
  tell_end(client, number, end, program, reporter);
  return end_as(end);
}

}  // namespace sluice::cli
