#include "cli/jobserver/daemon.h"

#include <boost/json.hpp>
#include <variant>

#include "cli/permit/admission.h"
#include "cli/permit/daemon_jobserver.h"
#include "client/client.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

int refuse(const ToolReporter& reporter, const Refused& refused) {
  reporter.say("error", refused.message);
  return refused.status;
}

void tell_end(Client& client, const std::string& number, const ClientEnd& end,
              const JobserverClient& program, const ToolReporter& reporter) {
  const auto object = end_jobserver(client, number, end.ok() ? Outcome::ok : Outcome::failed);
  if (!object) return;
  const json::object& tokens = object->at("tokens").as_object();
  const auto count = [&](const char* name) { return tokens.at(name).to_number<std::size_t>(); };
  const auto suspended = object->at("suspended").to_number<std::uint64_t>();
  report_end(
      program.program, end,
      {count("granted"), count("lost"), count("most_granted"), count("granted_ever"), suspended},
      reporter);
}

}  // namespace

int run_jobserver_of_daemon(const JobserverArguments& arguments, const ToolReporter& reporter) {
  const JobserverClient program = look_at_client(arguments, reporter);
  const SignalDescriptor signals(kCommandSignals);
  auto connected = Client::connect(arguments.socket);
  if (auto* problem = std::get_if<std::string>(&connected)) {
    return refuse(reporter, {kUnusable, std::move(*problem)});
  }
  Client& client = std::get<Client>(connected);
  const Waiting waiting{
      .telling = arguments.telling, .target = kJobserversTarget, .name = "sluice jobserver"};
  const std::string body = jobserver_body(program.key, program.program, arguments.most_jobs);
  const auto admitted = wait_for_admission(client, signals, body, waiting);
  if (const auto* refused = std::get_if<Refused>(&admitted)) return refuse(reporter, *refused);
  const std::string& number = std::get<AdmittedJob>(admitted).number;
  const auto path = token_path(client, number, signals);
  if (!path) return refuse(reporter, {kUnusable, "the daemon does not say where the tokens are"});
  const auto setting = jobserver::ClientSetting::make(*path, program.styles);
  if (const auto* problem = std::get_if<std::string>(&setting)) {
    return refuse(reporter, {kUnusable, *problem});
  }
  reporter.mention("open", "tokens come through " + *path + " (" +
                               std::string(to_string(program.styles.makeflags)) +
                               ") from the daemon");
  Meanwhile meanwhile;
  meanwhile.environment = std::get<AdmittedJob>(admitted).terms.environment;
  const ClientEnd end = run_client(arguments, std::get<jobserver::ClientSetting>(setting), signals,
                                   reporter, meanwhile);
  tell_end(client, number, end, program, reporter);
  return end_as(end);
}

}  // namespace sluice::cli
