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

#include "sensors/file.h"
#include "sensors/text.h"

namespace sluice {
namespace {

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  ~Fd() { close(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct Pipe {
  Fd read_end, write_end;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Fd(fds[0]), Fd(fds[1])};
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
  // What it leaves running must not keep open what this process closes: the far end of a connection
  // would wait for ever for one that is gone.
  ::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const bool wired =
      null >= 0 && ::dup2(null, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(null, 2) == 2;
  if (wired) ::execvp(arguments[0], arguments);
  const int error = errno;
  // Nobody is left to tell where this fails.
  [[maybe_unused]] const auto written = ::write(error_out, &error, sizeof error);
  ::_exit(127);
}

/// Why the child could not become the program; 0 where it could.
int exec_error(const Fd& read_end) {
  int error = 0;
  while (true) {
    const auto count = ::read(read_end.get(), &error, sizeof error);
    if (count < 0 && errno == EINTR) continue;
    return count == sizeof error ? error : 0;
  }
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  // WNOWAIT leaves a zombie, which keeps its number, and its group's, from being given away.
  const int error = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
  return error != 0 || info.si_pid == child;
}

/// Takes what the pipe holds without waiting. False once nothing more will come.
bool drain(const Fd& read_end, std::string& output, std::size_t most) {
  std::array<char, 4096> chunk;
  while (true) {
    const auto count = ::read(read_end.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    const std::size_t room = most - output.size();
    output.append(chunk.data(), std::min(room, static_cast<std::size_t>(count)));
    // A command that never stops writing must not keep its timeout from being looked at.
    if (room == 0) return true;
  }
}

/// Follows the child until it has ended or the time is over; true: it has ended.
bool follow(pid_t child, Fd out, std::string& output, std::size_t most_output, TimePoint deadline) {
  const Fd child_fd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  constexpr int kBlindly = 10;
  while (true) {
    if (out.get() >= 0 && !drain(out, output, most_output)) out.close();
    if (has_ended(child)) {
      if (out.get() >= 0) drain(out, output, most_output);
      return true;
    }
    const TimePoint now = Clock::now();
    if (now >= deadline) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
    const auto most = child_fd.get() >= 0 ? left : std::min<decltype(left)>(left, kBlindly);
    std::array<pollfd, 2> fds{{{out.get(), POLLIN, 0}, {child_fd.get(), POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), static_cast<int>(std::min<decltype(most)>(most, 60'000)));
  }
}

/// Takes the child's status; none where somebody else in this process has taken it, which must not
/// look like success.
std::optional<int> status_of(pid_t child) {
  int status = 0;
  while (true) {
    if (::waitpid(child, &status, 0) == child) return status;
    if (errno != EINTR) return std::nullopt;
  }
}

/// Kills what is left of the group, and takes the child's status.
std::optional<int> finish(pid_t child) {
  ::kill(-child, SIGKILL);
  return status_of(child);
}

Result<CommandOutcome> judged(const std::string& name, std::optional<int> status,
                              CommandOutcome outcome) {
  if (!status) return ReadFailure{name + ": its exit status was taken by somebody else"};
  if (!WIFEXITED(*status)) {
    return ReadFailure{name + ": ended by signal " + std::to_string(WTERMSIG(*status))};
  }
  outcome.exit_status = WEXITSTATUS(*status);
  return outcome;
}

}  // namespace

Result<CommandOutcome> run_command(const std::vector<std::string>& command, Duration timeout,
                                   CommandManner manner) {
  if (command.empty()) return ReadFailure{"no command"};
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const std::string name = printable(command.front());
  const TimePoint deadline = Clock::now() + timeout;
  auto out = make_pipe();
  auto error = make_pipe();
  if (!out || !error) return ReadFailure{"pipe for " + name + ": " + error_text(errno)};
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return ReadFailure{"fork for " + name + ": " + error_text(errno)};
  if (child == 0) become(arguments.data(), out->write_end.get(), error->write_end.get(), parent);
  // Both sides do it, so that the group exists whoever is faster.
  ::setpgid(child, child);
  out->write_end.close();
  error->write_end.close();
  if (const int why = exec_error(error->read_end)) {
    finish(child);
    return ReadFailure{name + ": " + error_text(why)};
  }
  ::fcntl(out->read_end.get(), F_SETFL, O_NONBLOCK);
  CommandOutcome outcome;
  const bool ended =
      follow(child, std::move(out->read_end), outcome.output, manner.most_output, deadline);
  const bool stay = ended && manner.leftovers == CommandManner::Leftovers::stay;
  const std::optional<int> status = stay ? status_of(child) : finish(child);
  if (ended) return judged(name, status, std::move(outcome));
  const double seconds = std::chrono::duration<double>(timeout).count();
  return ReadFailure{name + ": killed after " + number_text(seconds) + " s"};
}

}  // namespace sluice
