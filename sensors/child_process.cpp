#include "sensors/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/blocked_signals.h"
#include "base/descriptors.h"
#include "base/readiness.h"
#include "base/shell_command.h"
#include "base/text.h"
#include "sensors/files/file.h"

namespace sluice {
namespace {

struct Pipe {
  Descriptor read_end, write_end;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(fds[0]), Descriptor(fds[1])};
}

/// The descriptors that a guardian has from its creator; it closes all others.
struct GuardianEnds {
  int out, error, status, parent;
};

/// Kills every remaining descendant, in whatever group or session: orphans were reparented to this
/// process.
void end_all() {
  std::array<char, 4096> text;
  while (true) {
    const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    const auto size = list < 0 ? 0 : ::read(list, text.data(), text.size());
    if (list >= 0) ::close(list);
    pid_t pid = 0;
    for (ssize_t at = 0; at < size; ++at) {
      const char c = text[static_cast<std::size_t>(at)];
      if (c != ' ') {
        pid = pid * 10 + (c - '0');
        continue;
      }
      ::kill(pid, SIGKILL);
      pid = 0;
    }
    // At least one was killed or is ending by itself.
    if (::waitpid(-1, nullptr, size > 0 ? 0 : WNOHANG) <= 0) return;
  }
}

/// Why a command did not start.
struct StartError {
  enum class Step : int { fork, null_device, exec };
  Step step;
  int error;  ///< As in `errno`.
};

/// Sends the error to the parent; if this fails, there is nobody to tell. Async-signal-safe.
void report(int error_out, StartError why) {
  [[maybe_unused]] const auto written = ::write(error_out, &why, sizeof why);
}

/// Runs in the child between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void become(char* const* arguments, int out, int error_out, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before the line above.
  if (::getppid() != parent) ::_exit(127);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  // Processes it leaves running must not keep open what this process closes: the peer of a
  // connection would wait forever.
  ::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) {
    report(error_out, {StartError::Step::null_device, errno});
    ::_exit(127);
  }
  const bool wired = ::dup2(null, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(null, 2) == 2;
  if (wired) ::execvp(arguments[0], arguments);
  report(error_out, {StartError::Step::exec, errno});
  ::_exit(127);
}

/// Waits until the command ends or the parent no longer listens; -1 in the latter case.
int status_of_command(pid_t command, int parent) {
  const Descriptor command_fd = open_pidfd(command);
  constexpr int kBlindly = 10;
  while (true) {
    int status = 0;
    if (::waitpid(command, &status, WNOHANG) == command) return status;
    std::array<pollfd, 2> fds{{{parent, POLLIN, 0}, {command_fd.get(), POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), command_fd ? -1 : kBlindly);
    if (fds[0].revents != 0) return -1;
  }
}

/// Runs the command as its child, and outlives it only to end what it leaves behind. A process of
/// its own between this one and the command, because only a parent gets its orphans. Every signal
/// is blocked. Runs after the fork of a process with threads: async-signal-safe calls only.
[[noreturn]] void run_guardian(char* const* arguments, GuardianEnds ends,
                               CommandManner::Leftovers leftovers) {
  ::setpgid(0, 0);
  // Not prctl(): that of a sanitizer takes a lock, which another thread may have held at the fork.
  ::syscall(SYS_prctl, PR_SET_NAME, "sluice-sensor", 0, 0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGCHLD, SIG_DFL);
  const pid_t guardian = ::getpid();
  const pid_t command = ::fork();
  if (command == 0) become(arguments, ends.out, ends.error, guardian);
  if (command < 0) {
    report(ends.error, {StartError::Step::fork, errno});
    ::_exit(127);
  }
  ::setpgid(command, command);
  // Also closes other commands' pipes, whose closing must be seen.
  constexpr int kStatus = 3, kParent = 4;
  const int status_end = ::fcntl(ends.status, F_DUPFD, kParent + 1);
  const int parent_end = ::fcntl(ends.parent, F_DUPFD, kParent + 1);
  ::dup2(status_end, kStatus);
  ::dup2(parent_end, kParent);
  for (int stream = 0; stream < kStatus; ++stream) ::close(stream);
  ::syscall(SYS_close_range, kParent + 1, ~0U, 0);
  const int status = status_of_command(command, kParent);
  if (status >= 0) {
    [[maybe_unused]] const auto written = ::write(kStatus, &status, sizeof status);
  }
  if (status < 0 || leftovers == CommandManner::Leftovers::end) {
    ::kill(-command, SIGKILL);
    end_all();
  }
  ::_exit(0);
}

/// nullopt if the command has started.
std::optional<StartError> start_error(const Descriptor& read_end) {
  StartError why{};
  while (true) {
    const auto count = ::read(read_end.get(), &why, sizeof why);
    if (count < 0 && errno == EINTR) continue;
    return count == sizeof why ? std::optional(why) : std::nullopt;
  }
}

std::string to_sentence(const StartError& why, const std::string& name) {
  const std::string error = error_text(why.error);
  if (why.step == StartError::Step::fork) return "fork for " + name + ": " + error;
  if (why.step == StartError::Step::null_device) {
    return "/dev/null, which " + name + " gets for its input and errors: " + error;
  }
  return name + ": " + error;
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  // WNOWAIT leaves a zombie, so that its pid and process group are not reused.
  const int error = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
  return error != 0 || info.si_pid == child;
}

/// Reads what the pipe holds without waiting. False once nothing more will come.
bool drain(const Descriptor& read_end, std::string& output, std::size_t most) {
  std::array<char, 4096> chunk;
  while (true) {
    const auto count = ::read(read_end.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    const std::size_t room = most - output.size();
    output.append(chunk.data(), std::min(room, static_cast<std::size_t>(count)));
    // A command that never stops writing must not postpone its timeout.
    if (room == 0) return true;
  }
}

/// Waits until the child ends or the deadline passes; true if it ended.
bool follow(pid_t child, Descriptor out, std::string& output, std::size_t most_output,
            TimePoint deadline) {
  const Descriptor child_fd = open_pidfd(child);
  constexpr Duration kBlindly = std::chrono::milliseconds(10);
  while (true) {
    if (out && !drain(out, output, most_output)) out.reset();
    if (has_ended(child)) {
      if (out) drain(out, output, most_output);
      return true;
    }
    const TimePoint now = Clock::now();
    if (now >= deadline) return false;
    const Duration left = deadline - now;
    std::array<pollfd, 2> fds{{{out.get(), POLLIN, 0}, {child_fd.get(), POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), poll_timeout(child_fd ? left : std::min(left, kBlindly)));
  }
}

/// Waits for the guardian, which has ended or will once nobody listens to it. Returns the command's
/// status; nullopt if there is none, or if other code in this process reaped the guardian, which
/// must not look like success.
std::optional<int> finish(pid_t guardian, const Descriptor& status_end) {
  int ignored = 0;
  while (::waitpid(guardian, &ignored, 0) != guardian) {
    if (errno != EINTR) return std::nullopt;
  }
  int status = 0;
  const auto count = ::read(status_end.get(), &status, sizeof status);
  return count == sizeof status ? std::optional(status) : std::nullopt;
}

/// Forks the guardian of the command; -1 with errno on failure.
pid_t start_guardian(char* const* arguments, GuardianEnds ends,
                     CommandManner::Leftovers leftovers) {
  const BlockedSignals blocked;
  const pid_t guardian = ::fork();
  if (guardian == 0) run_guardian(arguments, ends, leftovers);
  return guardian;
}

Result<CommandOutcome> judged_child(const std::string& name, std::optional<int> status,
                                    CommandOutcome outcome) {
  if (!status) return ReadFailure{name + ": other code in this process took its exit status"};
  if (!WIFEXITED(*status)) {
    return ReadFailure{name + ": ended by signal " + std::to_string(WTERMSIG(*status))};
  }
  outcome.exit_status = WEXITSTATUS(*status);
  return outcome;
}

}  // namespace

Result<CommandOutcome> run_for_output(const std::vector<std::string>& command, Duration timeout,
                                      CommandManner manner) {
  if (command.empty()) return ReadFailure{"no command"};
  const std::vector<char*> arguments = pointers_to(command);
  const std::string name = printable(command.front());
  const TimePoint deadline = Clock::now() + timeout;
  auto out = make_pipe();
  auto error = make_pipe();
  auto status = make_pipe();
  auto alive = make_pipe();  // Closing it tells the guardian that nobody waits any more.
  if (!out || !error || !status || !alive) {
    return ReadFailure{"pipe for " + name + ": " + error_text(errno)};
  }
  const pid_t guardian = start_guardian(arguments.data(),
                                        {out->write_end.get(), error->write_end.get(),
                                         status->write_end.get(), alive->read_end.get()},
                                        manner.leftovers);
  if (guardian < 0) return ReadFailure{"fork for " + name + ": " + error_text(errno)};
  out->write_end.reset();
  error->write_end.reset();
  status->write_end.reset();
  alive->read_end.reset();
  if (const auto why = start_error(error->read_end)) {
    finish(guardian, status->read_end);
    return ReadFailure{to_sentence(*why, name)};
  }
  ::fcntl(out->read_end.get(), F_SETFL, O_NONBLOCK);
  CommandOutcome outcome;
  const bool ended =
      follow(guardian, std::move(out->read_end), outcome.output, manner.most_output, deadline);
  if (!ended) alive->write_end.reset();
  const std::optional<int> how = finish(guardian, status->read_end);
  if (ended) return judged_child(name, how, std::move(outcome));
  return ReadFailure{name + ": killed after " + duration_text(timeout)};
}

}  // namespace sluice
