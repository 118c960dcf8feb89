#include "cli/drain.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <thread>

#include "base/text.h"
#include "base/value_or_throw.h"
#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/declared.h"
#include "cli/permit/admission.h"
#include "cli/permit/reach.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

constexpr auto kDrainPoll = std::chrono::milliseconds(500);

/// A host that shuts down cannot wait as long for a missing daemon as a job can.
constexpr Duration kStart = std::chrono::seconds(10);
constexpr int kResumed = 1;

struct DrainArguments {
  std::string socket;
  std::string timeout;
  bool wait = false;
  NoDaemon no_daemon = NoDaemon::usual;
  bool json = false;
};

std::string jobs_text(std::int64_t running) {
  return running == 1 ? "1 job runs" : std::to_string(running) + " jobs run";
}

std::optional<DrainObservation> observe(Client& client, TimePoint start) {
  try {
    const json::object status = ask(client, "GET", "/v1/status");
    return DrainObservation{status.at("draining").as_bool(),
                            status.at("jobs").at("running").to_number<std::int64_t>(),
                            Clock::now() - start};
  } catch (const std::runtime_error& problem) {
    std::cerr << "sluice drain: " << problem.what() << "\n";
    return std::nullopt;
  }
}

/// The daemon is gone, and the next one does not know that it should drain.
bool drain_the_next(Client& client) {
  std::cerr << "sluice drain: waiting for the daemon to come back" << std::endl;
  for (const TimePoint until = Clock::now() + kRestartTime; Clock::now() < until;) {
    std::this_thread::sleep_for(kDrainPoll);
    if (client.reconnect()) continue;
    const auto answer = client.call("POST", "/v1/drain");
    const auto* reply = std::get_if<ClientReply>(&answer);
    if (reply && reply->status == 200) return true;
  }
  std::cerr << "sluice drain: the daemon did not come back\n";
  return false;
}

int wait_until_drained(Client& client, std::optional<Duration> timeout) {
  const TimePoint start = Clock::now();
  std::optional<std::int64_t> said;
  while (true) {
    auto seen = observe(client, start);
    if (!seen && drain_the_next(client)) seen = observe(client, start);
    if (!seen) return kUnusable;
    const DrainVerdict verdict = judge_drain(*seen, said, timeout);
    if (!verdict.line.empty()) std::cerr << "sluice drain: " << verdict.line << std::endl;
    if (verdict.status) return *verdict.status;
    said = seen->running;
    std::this_thread::sleep_for(kDrainPoll);
  }
}

int drain(const DrainArguments& arguments) {
  std::optional<Duration> timeout;
  if (!arguments.timeout.empty()) timeout = declared_time("--timeout", arguments.timeout);
  const bool waits = arguments.wait || timeout;
  const NoDaemon manner = waits ? arguments.no_daemon : NoDaemon::fail;
  const Duration patience = std::min(kStart, timeout.value_or(kStart));
  Client client = value_or_throw(reach_daemon(arguments.socket, manner, patience, "sluice drain"));
  const json::object answer = ask(client, "POST", "/v1/drain");
  std::cout << (arguments.json ? json::serialize(answer) : state_sentence(answer)) << std::endl;
  return waits ? wait_until_drained(client, timeout) : 0;
}

}  // namespace

DrainVerdict judge_drain(const DrainObservation& seen, std::optional<std::int64_t> said,
                         std::optional<Duration> timeout) {
  const std::string waited = duration_text(seen.waited);
  if (!seen.draining) return {"resumed by someone after " + waited, kResumed};
  if (seen.running == 0) return {"drained after " + waited, 0};
  const std::string running = jobs_text(seen.running);
  if (timeout && seen.waited >= *timeout) {
    return {running + " after " + waited + " and may continue; still draining", kTryLater};
  }
  if (said == seen.running) return {};
  return {"waiting: " + running, std::nullopt};
}

void add_drain(CLI::App& app, int& exit_status) {
  const auto [command, arguments] = add_command(
      app, exit_status, "drain", "Take no more jobs and let running ones finish", drain);
  add_socket(command, arguments.socket);
  command.add_flag("--json", arguments.json, "Print the daemon's answer as one JSON object");
  command.add_flag("--wait", arguments.wait, "Return once nothing runs");
  add_value(command, "--timeout", arguments.timeout, "TIME",
            "Wait at most this long (30s, 2h); default: forever");
  add_no_daemon(command, arguments.no_daemon, MayRun::no);
  command.footer(
      "Exit status: 0 nothing runs, or draining began without --wait; 1 someone resumed it; "
      "75 jobs still ran at the timeout; 2 no daemon. A daemon that restarts within 30 s while "
      "this waits is told to drain as well.\n\n"
      "Examples:\n"
      "  sluice drain --wait && systemctl stop sluice\n"
      "  sluice drain --timeout 2h\n");
}

}  // namespace sluice::cli
