#include "cli/build/governed_build.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/file_contents.h"
#include "base/text.h"
#include "base/value_or_throw.h"
#include "cli/build/build_process.h"
#include "cli/build/recognised_build.h"
#include "cli/build/tool_number.h"
#include "cli/build/user_daemon.h"
#include "cli/jobserver/client_styles.h"
#include "cli/jobserver/tool_command.h"
#include "cli/permit/admission.h"
#include "cli/permit/daemon_jobserver.h"
#include "client/peer_trust.h"
#include "costmodel/job_key.h"
#include "costmodel/real_command.h"
#include "process/command_process.h"
#include "service/jobserver/client_setting.h"
#include "service/jobserver/token_fifo.h"

namespace sluice::cli {
namespace {

/// Most jobs that a jobserver takes as its cap.
constexpr std::size_t kMostJobs = 4097;

/// The command, and how its tool learns of its jobs.
struct Tool {
  std::string program;  ///< File name.
  std::string key;
  ToolNumber number;
  jobserver::ClientStyles styles;
};

const char* variable_here(const char* name) { return std::getenv(name); }

std::string contents_of(const std::string& path) { return file_contents(path).value_or(""); }

Tool tool_of(const BuildArguments& arguments) {
  std::vector<std::string> words = real_command(arguments.command).words;
  if (words.empty()) words = arguments.command;
  Tool tool;
  ProgramVersions versions;
  const auto version_of = [&](const std::string& program) { return versions.of(program); };
  BuildTool built_by = build_tool(words, {contents_of, version_of});
  tool.styles = client_styles(arguments.style, built_by.kind, built_by.program, versions);
  built_by = told_by(std::move(built_by), tool.styles.makeflags);
  tool.program = program_of(arguments.command);
  tool.key = arguments.key.empty() ? job_key(arguments.command, key_place_here()) : arguments.key;
  const bool holds = arguments.by == BuildArguments::By::processes;
  tool.number = tool_number(words, built_by, variable_here,
                            holds ? TokenMeaning::place : TokenMeaning::permit);
  const bool is_one_command = std::ranges::find(words, ";") == words.end();
  const bool is_make = built_by.kind == jobserver::ClientKind::make && is_one_command;
  tool.styles.tells_make = !is_make || !tool.number.is_own;
  return tool;
}

/// The branch of the default queue in which the build's jobs wait: builds take turns. There are few
/// names, since a daemon keeps those that it has seen.
std::string branch_of_build(const std::string& program) {
  constexpr int kNumbers = 1000;
  std::string name = "/";
  for (const char letter : program.substr(0, 40)) {
    name += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '-';
  }
  return name + "-" + std::to_string(getpid() % kNumbers);
}

/// The smaller of two caps; 0 for none.
std::size_t most_jobs(std::size_t option, const std::optional<std::size_t>& asked) {
  const std::size_t written = asked.value_or(0);
  return option == 0 || written == 0 ? option + written : std::min(option, written);
}

/// A build at its daemon: a permit for each process that weighs something, or for each token of the
/// tool. Ends with this object.
class GovernedBuild {
 public:
  GovernedBuild(const BuildArguments& arguments, const ToolReporter& reporter)
      : arguments_(arguments), reporter_(reporter), tool_(tool_of(arguments)) {}

  /// Runs the build; returns how its command ended, or why it did not start.
  std::variant<BuildEnd, Refused> run() {
    for (const std::string& warning : tool_.number.warnings) reporter_.say("warning", warning);
    BuildDaemon daemon = BuildDaemon::find(arguments_, reporter_);
    Client& client = daemon.client();
    // Clients in the build, as compilers' launchers, are to ask the daemon that knows its limits.
    if (!daemon.is_in_a_usual_place()) {
      setenv("SLUICE_SOCKET", std::filesystem::absolute(client.place()).c_str(), 1);
    }
    const bool recognises = arguments_.by == BuildArguments::By::processes;
    // Where a daemon runs that takes no connection now shows once it does.
    const bool may_see_them = client.descriptor() < 0 || sees_same_processes(client.descriptor());
    if (recognises && may_see_them) return run_by_processes(daemon);
    // After the daemon's start, which takes over neither the mask nor a thread.
    const SignalDescriptor signals(kCommandSignals);
    if (!daemon.answers()) return run_ungoverned(signals);
    auto admitted = wait_for_admission(client, signals, body(), waiting());
    if (auto* refused = std::get_if<Refused>(&admitted)) return std::move(*refused);
    const auto& job = std::get<AdmittedJob>(admitted);
    const auto path = token_path(client, job.number, signals);
    if (!path) return Refused{kUnusable, "the daemon does not say where the tokens are"};
    const jobserver::ClientSetting setting =
        value_or_throw(jobserver::ClientSetting::make(*path, tool_.styles));
    const BuildEnd end = run_command(client, signals, setting, job.terms);
    end_jobserver(client, job.number, end.ok() ? Outcome::ok : Outcome::failed);
    return end;
  }

 private:
  BuildEnd run_by_processes(BuildDaemon& daemon) const {
    RecognisedBuild build;
    build.daemon_answers = daemon.answers();
    build.command = arguments_.command;
    build.styles = tool_.styles;
    build.telling = arguments_.telling;
    build.queue = branch_of_build(tool_.program);
    build.priority = arguments_.priority;
    if (tool_.number.asked) build.asked = AskedNumber{tool_.program, *tool_.number.asked};
    const std::size_t most = most_jobs(arguments_.most_jobs, tool_.number.asked);
    build.most_jobs = most > 0 ? most : most_waiting_jobs(std::thread::hardware_concurrency());
    build.most_ungoverned = std::min(most_ungoverned(), build.most_jobs);
    return run_recognised(build, std::move(daemon.client()), reporter_);
  }

  std::string body() const {
    const std::size_t most = most_jobs(arguments_.most_jobs, tool_.number.asked);
    return jobserver_body(tool_.key, tool_.program, std::min(most, kMostJobs));
  }

  Waiting waiting() const {
    return {.telling = arguments_.telling, .target = kJobserversTarget, .name = "sluice build"};
  }

  /// Jobs that may run at once while nothing holds those that do not fit: as the arguments say, or
  /// one for each CPU.
  std::size_t most_ungoverned() const {
    const std::size_t said = most_jobs(arguments_.most_jobs, tool_.number.asked);
    const std::size_t cpus = std::max(std::thread::hardware_concurrency(), 1U);
    return std::min(said > 0 ? said : cpus, kMostJobs);
  }

  /// With tokens of its own, since those of the daemon are out of reach.
  BuildEnd run_ungoverned(const SignalDescriptor& signals) const {
    jobserver::sweep_token_fifos();
    const jobserver::TokenFifo tokens = value_or_throw(jobserver::TokenFifo::make());
    // One job of the tool runs without a token.
    tokens.put(most_ungoverned() - 1);
    const jobserver::ClientSetting told =
        value_or_throw(jobserver::ClientSetting::make(tokens.path(), tool_.styles));
    const auto started =
        BuildProcess::start(arguments_.command, told.environment(environment_text("MAKEFLAGS")),
                            told.kept(), signals, {}, reporter_);
    if (const auto* end = std::get_if<BuildEnd>(&started)) return *end;
    return std::get<BuildProcess>(started).wait(signals, [] { return std::vector<Companion>{}; });
  }

  BuildEnd run_command(Client& client, const SignalDescriptor& signals,
                       const jobserver::ClientSetting& setting, const JobTerms& terms) const {
    std::map<std::string, std::string> environment =
        setting.environment(environment_text("MAKEFLAGS"));
    for (const auto& [name, value] : terms.environment) environment[name] = value;
    const auto started = BuildProcess::start(arguments_.command, environment, setting.kept(),
                                             signals, {}, reporter_);
    if (const auto* end = std::get_if<BuildEnd>(&started)) return *end;
    bool is_lost = false;
    const auto lose = [&](TimePoint) {
      is_lost = true;
      reporter_.say("warning", "the daemon is gone: the build continues with the tokens it has");
    };
    const auto companions = [&] {
      // The daemon sends nothing unasked.
      const int connection = is_lost ? -1 : client.descriptor();
      return std::vector<Companion>{{connection, std::nullopt, lose}};
    };
    return std::get<BuildProcess>(started).wait(signals, companions);
  }

  const BuildArguments& arguments_;
  const ToolReporter& reporter_;
  const Tool tool_;
};

/// The daemon of the build, if it is its own, is gone when this returns.
std::variant<BuildEnd, Refused> run_governed(const BuildArguments& arguments,
                                             const ToolReporter& reporter) {
  try {
    return GovernedBuild(arguments, reporter).run();
  } catch (const std::runtime_error& problem) {
    return Refused{kUnusable, problem.what()};
  }
}

}  // namespace

int run_build(const BuildArguments& arguments) {
  const ToolReporter reporter("sluice build", arguments);
  const auto ended = run_governed(arguments, reporter);
  if (const auto* refused = std::get_if<Refused>(&ended)) {
    reporter.say("error", refused->message);
    return refused->status;
  }
  const auto& end = std::get<BuildEnd>(ended);
  if (end.signal != 0) die_by(end.signal);
  return end.status;
}

}  // namespace sluice::cli
