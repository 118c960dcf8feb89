#include "cli/build/recognised_build.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
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

json::array list_of(const std::vector<BuildRun>& runs) {
  json::array list;
  for (const BuildRun& run : runs) {
    json::object each{{"name", run.name},
                      {"peak_memory", run.peak.value},
                      {"cpu", std::chrono::duration<double>(run.cpu).count()}};
    each["kept_memory"] = run.kept ? json::value(run.kept->value) : json::value(nullptr);
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
    const std::string kept =
        run.kept ? ", " + bytes_text(*run.kept) + " were kept for it" : std::string();
    reporter.say(
        "killed",
        run.name + " was killed by the kernel for memory at " + bytes_text(run.peak) + kept,
        {{"name", run.name}, {"peak_memory", run.peak.value}});
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
  watch.poll(Clock::now());
  tell_end(watch.report(), reporter);
  return end;
}

}  // namespace sluice::cli
