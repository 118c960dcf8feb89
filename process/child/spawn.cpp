#include "process/child/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/blocked_signals.h"
#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/shell_command.h"

namespace sluice {
namespace {

/// Sent by the child before it executes the command.
struct Report {
  enum class Step { null_device, streams, group, directory, nice, stop, execute };
  Step step;
  int value;  ///< errno; of `stop` the number of the signal.
};

/// Everything that the child needs, prepared in advance: the child may only make system calls.
struct Becoming {
  const Spawning& spawning;
  std::vector<std::string> places;  ///< Candidate paths of the program, in order.
  std::vector<char*> arguments;
  std::vector<char*> environment;
  pid_t parent;
  int report;
  int start[2];  ///< A pipe: its end, or a byte for the child to execute the command. -1 for none.
};

void say(const Becoming& becoming, Report::Step step, int value) {
  const Report report{step, value};
  [[maybe_unused]] const ssize_t ignored = write(becoming.report, &report, sizeof report);
}

[[noreturn]] void give_up(const Becoming& becoming, Report::Step step) {
  say(becoming, step, errno);
  _exit(127);
}

/// Moves the streams to their numbers by way of unused further ones. Returns what failed.
std::optional<Report::Step> arrange_streams(const Spawning& spawning) {
  constexpr int kOutOfTheWay = 3;
  int moved[3];
  for (int stream = 0; stream < 3; ++stream) {
    const int wanted = spawning.streams[stream];
    const int source = wanted >= 0 ? wanted : open("/dev/null", O_RDWR | O_CLOEXEC);
    if (source < 0) return Report::Step::null_device;
    moved[stream] = fcntl(source, F_DUPFD_CLOEXEC, kOutOfTheWay);
    if (moved[stream] < 0) return Report::Step::streams;
  }
  for (int stream = 0; stream < 3; ++stream) {
    if (dup2(moved[stream], stream) < 0) return Report::Step::streams;
  }
  syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC);
  return std::nullopt;
}

/// Takes back a Ctrl-Z that came since the signals were blocked: a child that stops before it has
/// executed the command leaves this process in vfork(), where nothing can stop it or end it.
void postpone_stop(const Becoming& becoming) {
  sigset_t stops;
  sigemptyset(&stops);
  for (const int number : {SIGTSTP, SIGTTIN, SIGTTOU}) sigaddset(&stops, number);
  const timespec at_once{};
  for (int stop = 0; (stop = sigtimedwait(&stops, nullptr, &at_once)) > 0;) {
    say(becoming, Report::Step::stop, stop);
  }
}

/// Resets signals that this process handles to the default and leaves ignored ones ignored: its
/// handlers must not run in shared memory.
void settle_signals(const Becoming& becoming) {
  const Spawning& spawning = becoming.spawning;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    if (action.sa_handler != SIG_DFL) signal(number, SIG_DFL);
  }
  const bool own = spawning.place == Spawning::Place::own;
  if (own) signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  postpone_stop(becoming);
  sigprocmask(SIG_SETMASK, own ? &none : &spawning.mask, nullptr);
}

/// Whether to try the next folder of PATH after this error, as execvp does.
bool tries_on(int error) {
  return error == EACCES || error == ENOENT || error == ENOTDIR || error == ESTALE ||
         error == ENODEV || error == ETIMEDOUT;
}

/// Like execvpe, but does not fall back to a shell for scripts without an interpreter line: callers
/// that want a shell name it. Returns if nothing could be executed.
void execute(const Becoming& becoming) {
  int problem = ENOENT;
  for (const std::string& place : becoming.places) {
    execve(place.c_str(), becoming.arguments.data(), becoming.environment.data());
    if (errno == EACCES || !tries_on(errno)) problem = errno;
    if (!tries_on(errno)) break;
  }
  errno = problem;
}

/// False if the parent ended first.
bool may_start(const Becoming& becoming) {
  if (becoming.start[0] < 0) return true;
  close(becoming.start[1]);
  char go = 0;
  return read(becoming.start[0], &go, 1) == 1;
}

void limit_descriptors(std::uint64_t most) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(most, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

[[noreturn]] void become(const Becoming& becoming) {
  const Spawning& spawning = becoming.spawning;
  if (spawning.number) *spawning.number = getpid();
  prctl(PR_SET_PDEATHSIG, spawning.death_signal);
  if (getppid() != becoming.parent || !may_start(becoming)) _exit(127);
  for (const int group : spawning.joins) {
    if (write(group, "0", 1) != 1) give_up(becoming, Report::Step::group);
  }
  if (spawning.place == Spawning::Place::own) {
    setpgid(0, 0);
    if (const auto failed = arrange_streams(spawning)) give_up(becoming, *failed);
  }
  for (const int kept : spawning.kept) fcntl(kept, F_SETFD, 0);
  if (!spawning.directory.empty() && chdir(spawning.directory.c_str()) != 0) {
    give_up(becoming, Report::Step::directory);
  }
  if (spawning.nice && setpriority(PRIO_PROCESS, 0, *spawning.nice) != 0) {
    say(becoming, Report::Step::nice, errno);
  }
  if (spawning.most_descriptors) limit_descriptors(*spawning.most_descriptors);
  settle_signals(becoming);
  execute(becoming);
  give_up(becoming, Report::Step::execute);
}

/// Makes a child that shares this process's memory until it executes the command.
[[gnu::noinline]] pid_t borrow_memory(const Becoming& becoming) {
  const pid_t pid = vfork();
  if (pid == 0) become(becoming);
  return pid;
}

/// The same as fork(), in the v2 cgroup at once, which saves moving it.
pid_t fork_into(int group) {
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.cgroup = static_cast<std::uint64_t>(group);
  return static_cast<pid_t>(syscall(SYS_clone3, &arguments, sizeof arguments));
}

/// Makes one with memory of its own. Containers may forbid clone3.
pid_t copy_memory(const Becoming& becoming) {
  const int group = becoming.spawning.born_in;
  const pid_t pid = group >= 0 ? fork_into(group) : fork();
  if (pid == 0) become(becoming);
  return pid;
}

/// The program by its path, else in each folder of this process's PATH.
std::vector<std::string> places_of(const std::vector<std::string>& argv) {
  if (argv.empty() || argv.front().empty()) return {};
  const std::string& program = argv.front();
  if (program.find('/') != std::string::npos) return {program};
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/bin:/usr/bin";
  std::vector<std::string> places;
  while (true) {
    const std::string folder(rest.substr(0, rest.find(':')));
    places.push_back(folder.empty() ? "./" + program : folder + "/" + program);
    if (folder.size() == rest.size()) return places;
    rest.remove_prefix(folder.size() + 1);
  }
}

/// "NAME=value" for each inherited and each added variable.
std::vector<std::string> environment_of(const Spawning& spawning) {
  std::vector<std::string> all;
  for (char** each = environ; *each; ++each) {
    const std::string variable(*each);
    const std::string name = variable.substr(0, variable.find('='));
    const bool is_inherited = !spawning.inherited || spawning.inherited->contains(name);
    if (is_inherited && !spawning.environment.contains(name)) all.push_back(variable);
  }
  for (const auto& [name, value] : spawning.environment) all.push_back(name + "=" + value);
  return all;
}

std::string reason_of(const Spawning& spawning, const Report& report) {
  const std::string error = std::strerror(report.value);
  switch (report.step) {
    case Report::Step::directory:
      return "cannot run in " + spawning.directory + ": " + error;
    case Report::Step::group:
      return "cannot enter the job's cgroup: " + error;
    case Report::Step::null_device:
      return "cannot open /dev/null for the streams of " + spawning.argv[0] + ": " + error +
             "; this root folder needs the host's /dev, or a /dev/null that all may write to";
    case Report::Step::streams:
      return "cannot set up the streams of " + spawning.argv[0] + ": " + error;
    default:
      return "cannot run " + spawning.argv[0] + ": " + error;
  }
}

/// Reads the child's reports until it executes the command or gives up.
void hear(int report_pipe, const Spawning& spawning, Spawned& spawned) {
  Report report{};
  int stop = 0;
  while (read(report_pipe, &report, sizeof report) == sizeof report) {
    if (report.step == Report::Step::nice) {
      spawned.nice_error = report.value;
    } else if (report.step == Report::Step::stop) {
      stop = report.value;
    } else {
      spawned.error = report.value;
      spawned.kept_out = report.step == Report::Step::group;
      spawned.reason = reason_of(spawning, report);
    }
  }
  if (stop != 0) kill(spawned.pid, stop);
}

pid_t make_child(const Becoming& becoming) {
  // A signal handler in the child would run in this process's memory.
  const BlockedSignals blocked;
  const bool shares_memory = becoming.spawning.born_in < 0 && becoming.start[0] < 0;
  return shares_memory ? borrow_memory(becoming) : copy_memory(becoming);
}

/// Two descriptors above the streams' numbers, which may be closed in this process.
struct Pipe {
  Descriptor ends[2];

  bool open() {
    constexpr int kOutOfTheWay = 3;
    int made[2];
    if (pipe2(made, O_CLOEXEC) != 0) return false;
    for (const int at : {0, 1}) {
      ends[at].reset(made[at]);
      if (made[at] >= kOutOfTheWay) continue;
      ends[at].reset(fcntl(made[at], F_DUPFD_CLOEXEC, kOutOfTheWay));
    }
    return ends[0] && ends[1];
  }
};

Spawned not_started(int error) {
  Spawned spawned;
  spawned.error = error;
  spawned.reason = errno_text("cannot start a process", error);
  return spawned;
}

}  // namespace

Spawned spawn(const Spawning& spawning) {
  const std::vector<std::string> environment = environment_of(spawning);
  Pipe report;
  Pipe start;
  if (!report.open() || (spawning.before_exec && !start.open())) return not_started(errno);
  const Becoming becoming{spawning,
                          places_of(spawning.argv),
                          pointers_to(spawning.argv),
                          pointers_to(environment),
                          getpid(),
                          report.ends[1].get(),
                          {start.ends[0].get(), start.ends[1].get()}};
  const pid_t pid = make_child(becoming);
  if (pid < 0) {
    Spawned spawned = not_started(errno);
    spawned.kept_out = spawning.born_in >= 0;
    return spawned;
  }
  Spawned spawned;
  spawned.pid = pid;
  report.ends[1].reset();
  if (spawning.before_exec) {
    spawning.before_exec(pid);
    [[maybe_unused]] const ssize_t ignored = write(start.ends[1].get(), "", 1);
  }
  hear(report.ends[0].get(), spawning, spawned);
  if (spawned.error != 0) waitpid(std::exchange(spawned.pid, 0), nullptr, 0);
  return spawned;
}

}  // namespace sluice
