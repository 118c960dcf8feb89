#include "cli/run.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/values.h"
#include "service/client.h"
#include "service/command_process.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

constexpr int kUnusable = 2;   // A wrong call, no daemon, or a job that can never run.
constexpr int kTryLater = 75;  // EX_TEMPFAIL: it was not admitted.

/// How long to wait in silence, and how often to look whether the reason changed.
constexpr Duration kSilence = std::chrono::seconds(1);
constexpr Duration kLook = std::chrono::seconds(30);

/// How long a daemon may take to answer, besides the time it was told to wait.
constexpr Duration kAnswer = std::chrono::seconds(10);

struct RunArguments {
  std::string socket;
  std::string key;
  std::optional<int> priority;
  std::optional<int> inventory;
  std::optional<std::int64_t> cost;
  std::string wait;
  bool verbose = false;
  std::vector<std::string> command;
};

/// Why the command was not started, with the exit status that says so.
struct Refused {
  int status;
  std::string message;
};

json::object submit_body(const RunArguments& arguments) {
  json::object body{{"hold", "connection"}, {"pid", "peer"}};
  if (!arguments.key.empty()) body["key"] = arguments.key;
  if (arguments.priority) body["priority"] = *arguments.priority;
  if (arguments.inventory) body["inventory"] = *arguments.inventory;
  if (arguments.cost) body["cost"] = *arguments.cost;
  return body;
}

/// Ctrl-C and its like while the job waits: gone, and the daemon cancels what this connection held.
void heed(const SignalDescriptor& signals) {
  while (const auto signal = signals.next()) {
    if (signal->number == SIGTSTP) raise(SIGSTOP);
    if (signal->number == SIGTSTP || signal->number == SIGCONT || signal->number == SIGCHLD) {
      continue;
    }
    die_by(signal->number);
  }
}

/// Asks, and waits until `until` for the answer.
std::variant<ClientReply, std::string> call(Client& client, const SignalDescriptor& signals,
                                            const char* method, const std::string& target,
                                            const std::string& body, TimePoint until) {
  if (auto problem = client.send(method, target, body)) return *std::move(problem);
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return "the daemon does not answer";
    std::array<pollfd, 2> ready{
        {{client.descriptor(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), static_cast<int>(left));
    heed(signals);
    if (ready[0].revents == 0) continue;
    if (auto reply = client.receive()) return *std::move(reply);
  }
}

/// Waits for admission; gives the job's number.
class Admitting {
 public:
  Admitting(Client& client, const SignalDescriptor& signals, const RunArguments& arguments,
            std::optional<Duration> patience)
      : client_(client), signals_(signals), arguments_(arguments) {
    if (patience) give_up_ = Clock::now() + *patience;
  }

  std::variant<std::string, Refused> admit() {
    json::object body = submit_body(arguments_);
    auto answer = ask("POST", "/v1/jobs", kSilence, json::serialize(body));
    if (std::holds_alternative<Refused>(answer) && no_process_) {
      // A daemon in another process namespace does not see us; the connection has to do.
      body.erase("pid");
      answer = ask("POST", "/v1/jobs", kSilence, json::serialize(body));
    }
    while (true) {
      if (auto* refused = std::get_if<Refused>(&answer)) return std::move(*refused);
      const json::object& job = std::get<json::object>(answer);
      const std::string number = json::serialize(job.at("number"));
      const std::string state(job.at("state").as_string());
      if (state == "running") return number;
      if (state != "pending") return Refused{kTryLater, "the job was cancelled"};
      const std::string reason = explain(job);
      if (give_up_ && Clock::now() >= *give_up_) {
        return Refused{kTryLater, "not admitted in time: " + reason};
      }
      say(reason);
      answer = ask("GET", "/v1/jobs/" + number, kLook, {});
    }
  }

 private:
  using Answer = std::variant<json::object, Refused>;

  Answer ask(const char* method, const std::string& target, Duration wait,
             const std::string& body) {
    if (give_up_) wait = std::clamp(*give_up_ - Clock::now(), Duration{0}, wait);
    const auto milli = std::chrono::duration_cast<std::chrono::milliseconds>(wait);
    const auto result =
        call(client_, signals_, method, target + "?wait=" + std::to_string(milli.count()) + "ms",
             body, Clock::now() + wait + kAnswer);
    if (const auto* problem = std::get_if<std::string>(&result)) {
      return Refused{kTryLater, *problem + " before the job was admitted"};
    }
    const auto& reply = std::get<ClientReply>(result);
    json::error_code error;
    json::value value = json::parse(reply.body, error);
    if (error || !value.is_object()) {
      return Refused{kUnusable, "the answer is not from a sluice daemon"};
    }
    json::object& object = value.get_object();
    if (reply.status < 300) return std::move(object);
    const json::object& why = object.at("error").as_object();
    no_process_ = why.at("code") == "no_process";
    const bool later = reply.status == 429 || reply.status == 503;
    return Refused{later ? kTryLater : kUnusable, std::string(why.at("message").as_string())};
  }

  static std::string explain(const json::object& job) {
    const json::object* refusal = job.at("refusal").if_object();
    return refusal ? std::string(refusal->at("message").as_string()) : "it is about to start";
  }

  void say(const std::string& reason) {
    const bool wanted = arguments_.verbose || isatty(STDERR_FILENO);
    if (!wanted || reason == said_) return;
    said_ = reason;
    std::cerr << "sluice run: waiting: " << reason << std::endl;
  }

  Client& client_;
  const SignalDescriptor& signals_;
  const RunArguments& arguments_;
  std::optional<TimePoint> give_up_;
  std::string said_;
  bool no_process_ = false;
};

int refuse(const Refused& refused) {
  std::cerr << "sluice run: " << refused.message << "\n";
  return refused.status;
}

/// Tells the daemon how it ended. A daemon that is gone, or hangs, must not hold up the caller.
void finish(Client& client, const std::string& job, const CommandEnd& end) {
  const bool ok = end.status == 0 && end.signal == 0 && end.problem.empty();
  const std::string outcome = ok ? "ok" : "failed";
  if (client.send("DELETE", "/v1/jobs/" + job + "?outcome=" + outcome)) return;
  pollfd ready{client.descriptor(), POLLIN, 0};
  poll(&ready, 1, 1000);
}

int run(const RunArguments& arguments) {
  std::optional<Duration> patience;
  if (!arguments.wait.empty()) {
    const auto parsed = parse_duration(arguments.wait);
    if (std::holds_alternative<ValueError>(parsed) || std::get<Duration>(parsed) < Duration{0}) {
      return refuse({kUnusable, "--wait must be a duration such as 30s or 10min"});
    }
    patience = std::get<Duration>(parsed);
  }
  const SignalDescriptor signals(kCommandSignals);
  auto connected = Client::connect(arguments.socket);
  if (auto* problem = std::get_if<std::string>(&connected)) {
    return refuse({kUnusable, std::move(*problem)});
  }
  Client& client = std::get<Client>(connected);
  const auto admitted = Admitting(client, signals, arguments, patience).admit();
  if (const auto* refused = std::get_if<Refused>(&admitted)) return refuse(*refused);
  const CommandEnd end = run_command(arguments.command, signals);
  finish(client, std::get<std::string>(admitted), end);
  if (!end.problem.empty()) std::cerr << "sluice run: " << end.problem << "\n";
  if (end.signal != 0) die_by(end.signal);
  return end.status;
}

}  // namespace

CLI::App* add_run(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("run", "Run a command when the host can bear it");
  auto arguments = std::make_shared<RunArguments>();
  command->add_option("--socket", arguments->socket,
                      "The daemon's socket; otherwise SLUICE_SOCKET or the default");
  command->add_option("--key", arguments->key, "What kind of job this is");
  command->add_option("--priority", arguments->priority, "Larger first; 0");
  command->add_option("--inventory", arguments->inventory, "Nodes that the job drives; 1");
  command->add_option("--cost", arguments->cost, "Its cost in points; otherwise predicted");
  command->add_option("--wait", arguments->wait,
                      "Give up after this long (30s, 10min); otherwise wait for ever");
  command->add_flag("-v,--verbose", arguments->verbose,
                    "Say why it waits, also where standard error is no terminal");
  command->add_option("command", arguments->command, "The command and its arguments, after --")
      ->required();
  command->callback([=, &exit_status] { exit_status = run(*arguments); });
  command->footer(
      "Exit status: the command's; a command killed by a signal ends this by the same signal.\n"
      "127 not found, 126 not executable, 2 no daemon or it can never run, 75 not admitted in "
      "time.\n\n"
      "Examples:\n"
      "  sluice run -- make -j4\n"
      "  sluice run --key build --inventory 2 -- ./build.sh --fast\n"
      "  sluice run --wait 10min -v -- tox\n");
  return command;
}

}  // namespace sluice::cli
