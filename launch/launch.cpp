#include "launch/launch.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/daemon_sentences.h"
#include "base/item_variables.h"
#include "base/permit_variables.h"
#include "base/readiness.h"
#include "base/shell_command.h"
#include "base/text.h"
#include "client/answer.h"
#include "client/client.h"
#include "client/submission.h"
#include "client/waiting_line.h"
#include "costmodel/command_kind.h"
#include "launch/asking.h"
#include "launch/governed_child.h"
#include "launch/session_marks.h"
#include "process/child/signals.h"
#include "sluice/units.h"

namespace sluice {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;
constexpr int kTryLater = 75;  ///< EX_TEMPFAIL, as under `sluice run`.

/// A build that runs ungoverned is told so once, as long as its commands come at least so often.
constexpr Duration kSaidFor = std::chrono::minutes(1);
/// A daemon that did not answer is not asked by the rest of the build for so long.
constexpr Duration kAvoidedFor = std::chrono::seconds(5);
constexpr const char* kSaid = "said";
constexpr const char* kAvoided = "avoided";

/// Between two attempts to reach a daemon that restarts.
constexpr auto kPause = std::chrono::milliseconds(20);

void say(const std::string& line) { std::fprintf(stderr, "sluice-launch: %s\n", line.c_str()); }

/// Only returns if the command cannot be executed.
int become(const std::vector<std::string>& command) {
  const std::vector<char*> argv = pointers_to(command);
  execvp(argv[0], argv.data());
  const int error = errno;
  say(command[0] + ": " + std::strerror(error));
  return error == ENOENT ? kNotFound : kNotExecutable;
}

/// What the commands of the build tell each other; made when it is needed.
std::optional<SessionMarks> marks_of_session() {
  return SessionMarks::open(places_of_marks(), "sluice-launch-" + std::to_string(geteuid()),
                            getsid(0));
}

/// Runs the command without a permit.
int run_ungoverned(const std::vector<std::string>& command, const std::string& why) {
  auto marks = marks_of_session();
  const bool is_first = !marks || marks->set(kSaid, SessionMarks::Time::clock::now(), kSaidFor);
  if (is_first) say("not governed, running at once: " + why);
  return become(command);
}

/// The daemon that granted this process's permit, if it has one, knows the permit.
std::string socket_option() {
  return environment_text("SLUICE_SOCKET").empty() ? environment_text(kPermitSocket) : "";
}

/// Performs the steps of an Asking on a connection.
class Waiting {
 public:
  Waiting(Client& client, const SignalDescriptor& signals, Asking asking)
      : client_(client), signals_(signals), asking_(std::move(asking)), line_(Clock::now()) {}

  /// Returns the last step: how the command runs, or not.
  AskStep wait() {
    AskStep step = asking_.begin();
    while (true) {
      if (const auto* request = std::get_if<SendRequest>(&step)) {
        step = perform(*request);
      } else if (const auto* again = std::get_if<Reconnect>(&step)) {
        step = perform(*again);
      } else {
        return step;
      }
    }
  }

 private:
  AskStep perform(const SendRequest& request) {
    tell();
    if (client_.send(request.method, request.target, request.body)) return asking_.lost();
    const TimePoint until = Clock::now() + request.patience;
    while (true) {
      const TimePoint now = Clock::now();
      if (now >= until) return asking_.silent();
      std::array<pollfd, 2> ready{
          {{client_.descriptor(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}}};
      poll(ready.data(), ready.size(), poll_timeout(until - now));
      end_on_signal(signals_);
      if (ready[0].revents == 0) continue;
      const auto reply = client_.receive();
      if (!reply) continue;
      const auto* read = std::get_if<ClientReply>(&*reply);
      return read ? asking_.answered(*read) : asking_.lost();
    }
  }

  AskStep perform(const Reconnect& again) {
    const TimePoint until = Clock::now() + again.patience;
    while (client_.reconnect()) {
      end_on_signal(signals_);
      if (Clock::now() >= until) return asking_.not_reconnected(socket_there());
      std::this_thread::sleep_for(kPause);
    }
    return asking_.reconnected();
  }

  Asking::Socket socket_there() const {
    const bool is_there = access(client_.place().c_str(), F_OK) == 0;
    return is_there ? Asking::Socket::left_behind : Asking::Socket::removed;
  }

  void tell() {
    const JobAnswer& last = asking_.last();
    if (last.reason.empty() || !line_.is_due(last.reason_kind, Clock::now())) return;
    say("waiting: " + last.reason);
  }

  Client& client_;
  const SignalDescriptor& signals_;
  Asking asking_;
  WaitingLine line_;
};

int end_as(const ChildEnd& end, const std::vector<std::string>& command) {
  if (end.signal != 0) die_by(end.signal);
  // As execvp does: a script without an interpreter line is the shell's.
  if (end.start_error != 0) return become(command);
  return end.status;
}

/// How a command that needs a permit has run: to its end, or not yet.
using Ran = std::variant<ChildEnd, RunUngoverned, GiveUp>;

/// Waits for a permit, of the cost given or as expected, and runs the command with it.
Ran run_with_permit(const std::vector<std::string>& command, Client& client,
                    const SignalDescriptor& signals, std::optional<Points> cost) {
  const std::string id = unique_name("launch");
  const std::string socket = std::filesystem::absolute(client.place()).string();
  Submission submission =
      submission_of(command, key_place_here(), id, environment_text(kPermitVariable));
  submission.cost = cost;
  AskStep step = Waiting(client, signals, Asking(std::move(submission), socket)).wait();
  if (auto* ungoverned = std::get_if<RunUngoverned>(&step)) return std::move(*ungoverned);
  if (auto* gives_up = std::get_if<GiveUp>(&step)) return std::move(*gives_up);
  auto& [job, lease] = std::get<RunGoverned>(step);
  if (const auto line = about_ignored(job.ignored); !line.empty()) say(line);
  GovernedCommand governed{command, std::move(job.environment), job.nice, id};
  if (lease == Submission::Lease::connection) {
    governed.measured_by = GovernedCommand::MeasuredBy::launcher;
  }
  return run_governed(governed, client, signals);
}

/// Whether a second run of the command does what the first would have done.
bool is_repeatable(const std::vector<std::string>& command) {
  const CommandKind kind = kind_of(command);
  const bool translates = kind == CommandKind::compile || kind == CommandKind::link;
  return translates && std::ranges::find(command, "-") == command.end();
}

/// The same for a command that the kernel has just killed: it holds the whole window, so that
/// nothing runs beside it. nullopt if it did not run.
std::optional<ChildEnd> run_again_alone(const std::vector<std::string>& command, Client& client,
                                        const SignalDescriptor& signals) {
  if (client.reconnect()) return std::nullopt;
  const auto status = client.call("GET", "/v1/status");
  const auto* reply = std::get_if<ClientReply>(&status);
  const auto all = reply ? read_largest_window(*reply) : std::nullopt;
  if (!all) return std::nullopt;
  say("it runs once more, when no other job does");
  Ran ran = run_with_permit(command, client, signals, all);
  if (const auto* gives_up = std::get_if<GiveUp>(&ran)) say(gives_up->why);
  const auto* ended = std::get_if<ChildEnd>(&ran);
  return ended ? std::optional(*ended) : std::nullopt;
}

Ran run_governed_once_or_twice(const std::vector<std::string>& command, Client& client,
                               AfterKill after_kill) {
  restore_default_sigchld();
  const SignalDescriptor signals(kCommandSignals);
  Ran ran = run_with_permit(command, client, signals, std::nullopt);
  const auto* ended = std::get_if<ChildEnd>(&ran);
  const bool runs_again = ended && ended->killed_for_memory &&
                          after_kill == AfterKill::run_again_alone && is_repeatable(command);
  if (!runs_again) return ran;
  if (const auto again = run_again_alone(command, client, signals)) return *again;
  return ran;
}

}  // namespace

int launch(const std::vector<std::string>& command, AfterKill after_kill) {
  const bool has_token = !environment_text(kJobserverVariable).empty();
  if (has_token || kind_of(command) == CommandKind::weightless) return become(command);
  Ran ran;
  {
    // Before the command executes, the connection closes, which takes the job back.
    auto reached = Client::reach(socket_option());
    auto* client = std::get_if<Client>(&reached);
    if (!client) return run_ungoverned(command, std::get<NotReached>(reached).message);
    auto marks = marks_of_session();
    const auto now = SessionMarks::Time::clock::now();
    const bool is_avoided = marks && marks->is_set(kAvoided, now, kAvoidedFor);
    if (is_avoided) return run_ungoverned(command, kNoAnswer);
    ran = run_governed_once_or_twice(command, *client, after_kill);
    const auto* ungoverned = std::get_if<RunUngoverned>(&ran);
    if (ungoverned && ungoverned->is_silent && marks) {
      marks->set(kAvoided, SessionMarks::Time::clock::now(), Duration{0});
    }
  }
  if (const auto* ended = std::get_if<ChildEnd>(&ran)) return end_as(*ended, command);
  if (const auto* ungoverned = std::get_if<RunUngoverned>(&ran)) {
    return run_ungoverned(command, ungoverned->why);
  }
  say(std::get<GiveUp>(ran).why);
  return kTryLater;
}

}  // namespace sluice
