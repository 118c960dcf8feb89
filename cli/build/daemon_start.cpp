#include "cli/build/daemon_start.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/errno_text.h"
#include "base/readiness.h"
#include "base/shell_command.h"

namespace sluice::cli {
namespace {

/// What the daemon's process reports before it executes the program: its pid, or why it did not.
struct Report {
  pid_t pid;
  int error;
};

std::vector<std::string> daemon_environment() {
  std::vector<std::string> kept;
  for (char** each = environ; *each; ++each) {
    const std::string_view variable(*each);
    if (!belongs_to_a_build(variable.substr(0, variable.find('=')))) kept.emplace_back(variable);
  }
  return kept;
}

/// Standard streams, and no other descriptor but `report`, which closes on exec. Returns its new
/// number, or -1.
int arrange_descriptors(int log, int report) {
  constexpr int kReport = 3;
  const int null = open("/dev/null", O_RDWR);
  if (null < 0) return -1;
  // Out of the way first: any of these may have a number that is needed.
  const int high_log = fcntl(log, F_DUPFD, kReport + 1);
  const int high_report = fcntl(report, F_DUPFD, kReport + 1);
  const bool done = high_log >= 0 && high_report >= 0 && dup2(null, 0) == 0 &&
                    dup2(high_log, 1) == 1 && dup2(high_log, 2) == 2 &&
                    dup3(high_report, kReport, O_CLOEXEC) == kReport;
  if (!done) return -1;
  syscall(SYS_close_range, kReport + 1, ~0u, 0);
  return kReport;
}

void default_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(char* const* arguments, char* const* environment, int log, int report) {
  default_signals();
  umask(077);
  // Where that is allowed: the first build's `nice` is not that of all.
  setpriority(PRIO_PROCESS, 0, 0);
  const int kept = arrange_descriptors(log, report);
  Report said{getpid(), 0};
  if (kept >= 0 && chdir("/") == 0) {
    [[maybe_unused]] const ssize_t ignored = write(kept, &said, sizeof said);
    execve(arguments[0], arguments, environment);
  }
  said.error = errno;
  [[maybe_unused]] const ssize_t ignored = write(kept >= 0 ? kept : report, &said, sizeof said);
  _exit(127);
}

/// Forks twice: the daemon's parent ends at once, so that init reaps the daemon.
bool fork_twice(const std::vector<std::string>& argv, int log, int report) {
  const std::vector<std::string> variables = daemon_environment();
  const std::vector<char*> arguments = pointers_to(argv);
  const std::vector<char*> environment = pointers_to(variables);
  const pid_t between = fork();
  if (between < 0) return false;
  if (between == 0) {
    setsid();
    const pid_t daemon = fork();
    if (daemon == 0) become(arguments.data(), environment.data(), log, report);
    _exit(daemon < 0 ? errno : 0);
  }
  int status = 0;
  while (waitpid(between, &status, 0) < 0 && errno == EINTR) continue;
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
  return errno == 0;
}

}  // namespace

bool DetachedProcess::has_ended() const {
  if (!descriptor_) return kill(pid_, 0) != 0;
  return is_readable(descriptor_.get());
}

void DetachedProcess::terminate(Duration patience) const {
  if (!descriptor_) return;
  syscall(SYS_pidfd_send_signal, descriptor_.get(), SIGTERM, nullptr, 0);
  is_readable(descriptor_.get(), patience);
}

std::variant<DetachedProcess, std::string> DetachedProcess::start(
    const std::vector<std::string>& argv, int log) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno_text("cannot start " + argv[0]);
  const bool forked = fork_twice(argv, log, ends[1]);
  const int error = errno;
  close(ends[1]);
  Report last{0, error};
  Report read_now{};
  while (forked && read(ends[0], &read_now, sizeof read_now) == sizeof read_now) last = read_now;
  close(ends[0]);
  if (last.pid == 0 || last.error != 0) return errno_text("cannot start " + argv[0], last.error);
  return DetachedProcess(last.pid);
}

std::string own_program() {
  constexpr const char* kSelf = "/proc/self/exe";
  std::array<char, 4096> path{};
  const ssize_t length = readlink(kSelf, path.data(), path.size() - 1);
  // The file may have been replaced since this process started.
  return length > 0 && access(path.data(), X_OK) == 0 ? path.data() : kSelf;
}

std::string unopened_file(const std::string& path, int error) {
  const std::string problem = errno_text(path, error);
  switch (error) {
    case EROFS:
    case ENOSPC:
    case EDQUOT:
      return problem + ": set XDG_RUNTIME_DIR to a folder of yours that can be written";
    case EACCES:
    case EPERM:
      return problem + ": make it and its folder writable for you, or remove it";
    case EEXIST:
    case EISDIR:
    case ELOOP:
    case ENXIO:
      return problem + ": remove it";
    default:
      return problem;
  }
}

bool belongs_to_a_build(std::string_view name) {
  constexpr std::array<std::string_view, 11> kNames{
      "MAKEFLAGS",       "MFLAGS",        "MAKELEVEL",     "CARGO_MAKEFLAGS",
      "STATE_DIRECTORY", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
      "LISTEN_FDS",      "INVOCATION_ID", "JOURNAL_STREAM"};
  return name.starts_with("SLUICE_") || std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace sluice::cli
