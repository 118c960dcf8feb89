#include "cli/build/recognised_build.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "base/permit_variables.h"
#include "base/text.h"
#include "process/signals.h"
#include "recognition/build_watch.h"
#include "service/jobserver/token_fifo.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// How long a daemon may take to be told how the last runs ended.
constexpr Duration kFarewell = std::chrono::seconds(1);
constexpr int kFarewellStep = 20;  // Milliseconds.

std::string text_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? text : "";
}

/// "pid:[4026531836]"; empty if it may not be known.
std::string pid_namespace_of(const std::string& process) {
  std::array<char, 64> target{};
  const std::string path = "/proc/" + process + "/ns/pid";
  const ssize_t size = readlink(path.c_str(), target.data(), target.size());
  return size > 0 ? std::string(target.data(), static_cast<std::size_t>(size)) : std::string();
}

json::value bytes_or_null(const std::optional<Bytes>& bytes) {
  return bytes ? json::value(bytes->value) : json::value(nullptr);
}

json::array list_of(const std::vector<BuildRun>& runs) {
  json::array list;
  for (const BuildRun& run : runs) {
    json::object each{{"name", run.name},
                      {"peak_memory", run.peak.value},
                      {"cpu", std::chrono::duration<double>(run.cpu).count()}};
    each["kept_memory"] = bytes_or_null(run.kept);
    each["next_memory"] = bytes_or_null(run.next);
    list.push_back(std::move(each));
  }
  return list;
}

json::object facts_of(const BuildReport& report) {
  return {{"runs", report.runs},
          {"most_held", report.most_held},
          {"beyond",
           {{"stall", report.beyond_stall},
            {"clock", report.beyond_clock},
            {"unstoppable", report.beyond_unstoppable},
            {"daemon", report.beyond_daemon}}},
          {"killed_for_memory", list_of(report.killed_for_memory)},
          {"heaviest", list_of(report.heaviest)}};
}

void tell_end(const BuildReport& report, const BuildReporter& reporter) {
  for (const BuildRun& run : report.killed_for_memory) {
    std::string line = run.name + " was killed by the kernel for memory at " + bytes_text(run.peak);
    if (run.kept) line += " (" + bytes_text(*run.kept) + " were kept for it)";
    if (run.next) line += "; " + bytes_text(*run.next) + " are kept for it next time";
    reporter.say("killed", line,
                 {{"name", run.name},
                  {"peak_memory", run.peak.value},
                  {"kept_memory", bytes_or_null(run.kept)},
                  {"next_memory", bytes_or_null(run.next)}});
  }
  std::string line = std::to_string(report.runs) + " jobs, at most " +
                     std::to_string(report.most_held) + " held at once";
  const std::size_t beyond =
      report.beyond_stall + report.beyond_clock + report.beyond_unstoppable + report.beyond_daemon;
  if (beyond > 0) line += ", " + std::to_string(beyond) + " went on without a permit";
  reporter.mention("end", line, facts_of(report));
}

/// Tells why the build stands still, if nothing of it runs.
class Standstill {
 public:
  Standstill(WaitTelling telling, const BuildReporter& reporter)
      : telling_(telling), reporter_(reporter) {}

  void look(const BuildReport& report, TimePoint now) {
    const bool stands = report.held > 0 && report.running == 0;
    if (!stands) return line_.reset();
    if (!line_) line_.emplace(now);
    if (telling_ == WaitTelling::silent || !line_->is_due("held", now)) return;
    reporter_.say("waiting", "waiting: " + report.waits_for, {{"held", report.held}});
  }

 private:
  const WaitTelling telling_;
  const BuildReporter& reporter_;
  std::optional<WaitingLine> line_;
};

/// Has the daemon hear how the last runs ended.
void finish(BuildWatch& watch) {
  const TimePoint until = Clock::now() + kFarewell;
  watch.poll(Clock::now());
  while (watch.awaits_answers() && watch.report().has_daemon && Clock::now() < until) {
    pollfd ready{watch.descriptor(), POLLIN, 0};
    poll(&ready, 1, kFarewellStep);
    watch.poll(Clock::now());
  }
}

BuildWatchOptions options_for(const RecognisedBuild& build, const BuildReporter& reporter) {
  BuildWatchOptions options;
  options.queue = build.queue;
  options.priority = build.priority;
  options.parent = text_of(kPermitVariable);
  options.say = [&reporter](const std::string& line) { reporter.say("warning", line); };
  return options;
}

}  // namespace

bool sees_same_processes(const Client& client) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(client.descriptor(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  if (peer.pid <= 0) return false;
  const std::string there = pid_namespace_of(std::to_string(peer.pid));
  return there.empty() || there == pid_namespace_of("self");
}

std::variant<BuildEnd, std::string> run_recognised(const RecognisedBuild& build, Client client,
                                                   const BuildReporter& reporter) {
  const SignalDescriptor signals(kCommandSignals);
  sweep_token_fifos();
  auto fifo = TokenFifo::make();
  if (auto* problem = std::get_if<std::string>(&fifo)) return std::move(*problem);
  const TokenFifo& tokens = std::get<TokenFifo>(fifo);
  // One job of the tool runs without a token.
  tokens.put(build.most_jobs - 1);
  auto setting = ClientSetting::make(tokens.path(), build.styles);
  if (auto* problem = std::get_if<std::string>(&setting)) return std::move(*problem);
  const ClientSetting& told = std::get<ClientSetting>(setting);
  std::string problem;
  const auto started = BuildProcess::start(build.command, told.environment(text_of("MAKEFLAGS")),
                                           told.kept(), signals, problem);
  if (const auto* end = std::get_if<BuildEnd>(&started)) {
    reporter.say("error", problem);
    return *end;
  }
  const auto& process = std::get<BuildProcess>(started);
  BuildWatch watch(options_for(build, reporter), std::move(client), process.pid());
  watch.poll(Clock::now());
  Standstill standstill(build.telling, reporter);
  const auto companions = [&] {
    return std::vector<Companion>{{watch.descriptor(), watch.next(), [&](TimePoint now) {
                                     watch.poll(now);
                                     standstill.look(watch.report(), now);
                                   }}};
  };
  const BuildEnd end = process.wait(signals, companions);
  finish(watch);
  tell_end(watch.report(), reporter);
  return end;
}

}  // namespace sluice::cli
