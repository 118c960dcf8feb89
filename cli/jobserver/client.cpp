#include "cli/jobserver/client.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <utility>

#include "base/text.h"
#include "cli/jobserver/client_styles.h"
#include "costmodel/job_key.h"
#include "costmodel/real_command.h"
#include "process/child/foreground_child.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

void warn_of_own_jobs(const std::vector<std::string>& words, const ToolReporter& reporter) {
  if (const auto option = jobserver::own_jobs_option(words)) {
    reporter.say("warning", *option + " makes " + words[0] +
                                " ignore the jobserver and run that many jobs whatever the load; "
                                "leave it out (--max limits the jobs)");
  }
  if (const auto flag = jobserver::own_jobs_flag(environment_text("MAKEFLAGS"))) {
    reporter.say("warning", *flag +
                                " in MAKEFLAGS is dropped: with it, the command would ignore the "
                                "jobserver (--max limits the jobs)");
  }
}

void warn_of_ninja(const std::string& program, const JobserverClient& client,
                   ProgramVersions& versions, const ToolReporter& reporter) {
  if (jobserver::client_kind(program) != jobserver::ClientKind::ninja) return;
  const std::string lacks =
      jobserver::lacks_for_tokens(versions.of(program), client.styles.makeflags);
  if (lacks.empty()) return;
  reporter.say("warning",
               client.program + " takes no tokens and uses its own number of jobs; " + lacks);
}

RunEnd wait_for(Runner& runner, pid_t child, const SignalDescriptor& signals,
                const Meanwhile& meanwhile) {
  ForegroundChild foreground(child);
  while (true) {
    const std::vector<RunEnd> ends = runner.reap();
    if (!ends.empty()) return ends.front();
    foreground.stop_with_it();
    pollfd ready[] = {{signals.descriptor(), POLLIN, 0}, {meanwhile.descriptor, POLLIN, 0}};
    poll(ready, 2, foreground.patience(1000));
    foreground.forward(signals);
    if (ready[1].revents != 0) meanwhile.work();
  }
}

}  // namespace

void report_end(const std::string& program, const ClientEnd& end, const jobserver::End& tokens,
                const ToolReporter& reporter) {
  const std::string how = program + ": " + (end.end ? end.end->sentence() : "did not start");
  const std::string braked =
      tokens.suspended == 0
          ? ""
          : "; jobs were suspended " + count_text(tokens.suspended, "time") + " by the brake";
  const json::object facts{{"granted", tokens.granted},
                           {"lost", tokens.lost},
                           {"most_granted", tokens.most_granted},
                           {"granted_ever", tokens.granted_ever},
                           {"suspended", tokens.suspended}};
  if (tokens.lost == 0) {
    reporter.mention("end",
                     how + ": " + std::to_string(tokens.most_granted) + " tokens at most, " +
                         std::to_string(tokens.granted_ever) + " granted in all, none missing" +
                         braked,
                     facts);
    return;
  }
  reporter.say("end",
               how + ": lost " + std::to_string(tokens.lost) + " of " +
                   count_text(tokens.granted, "token") + ": written off; permits returned" + braked,
               facts);
}

JobserverClient look_at_client(const JobserverArguments& arguments, const ToolReporter& reporter) {
  const RealCommand real = real_command(arguments.command);
  const std::string start = real.words.empty() ? arguments.command[0] : real.words[0];
  JobserverClient client;
  client.program = program_of(arguments.command);
  client.key = arguments.key.empty() ? job_key(arguments.command, key_place_here()) : arguments.key;
  ProgramVersions versions;
  client.styles = client_styles(arguments.style, jobserver::client_kind(start), start, versions);
  client.most_tokens = arguments.most_jobs == 0
                           ? jobserver::Request::kMostTokens
                           : std::min(arguments.most_jobs - 1, jobserver::Request::kMostTokens);
  warn_of_own_jobs(real.words, reporter);
  warn_of_ninja(start, client, versions, reporter);
  return client;
}

ClientEnd run_client(const JobserverArguments& arguments, const jobserver::ClientSetting& setting,
                     const SignalDescriptor& signals, const ToolReporter& reporter,
                     const Meanwhile& meanwhile) {
  Runner runner;
  Command command;
  command.argv = arguments.command;
  command.environment = setting.environment(environment_text("MAKEFLAGS"));
  for (const auto& [name, value] : meanwhile.environment) command.environment[name] = value;
  command.kept = setting.kept();
  command.in_place = signals.mask_before();
  std::optional<int> interrupted;
  command.before_exec = [&](pid_t process) { interrupted = kill_if_interrupted(signals, process); };
  const auto started = runner.start(command);
  if (interrupted) return {RunEnd{.status = *interrupted, .usage = {}}, 0};
  if (const auto* problem = std::get_if<std::string>(&started)) {
    reporter.say("error", *problem);
    return {std::nullopt, runner.start_error() == ENOENT ? 127 : 126};
  }
  const pid_t child = std::get<pid_t>(started);
  if (meanwhile.started) meanwhile.started(child);
  RunEnd end = wait_for(runner, child, signals, meanwhile);
  if (const std::string left = end.about_left(); !left.empty()) {
    reporter.say("warning", left,
                 {{"left", json::array(end.left.names.begin(), end.left.names.end())},
                  {"left_count", end.left.count}});
  }
  return {std::move(end), 0};
}

int end_as(const ClientEnd& end) {
  if (!end.end) return end.status;
  if (WIFSIGNALED(end.end->status)) die_by(WTERMSIG(end.end->status));
  return WEXITSTATUS(end.end->status);
}

}  // namespace sluice::cli
