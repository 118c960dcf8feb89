#include "cli/job_process.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sluice::cli {
namespace {

/// Between fork and exec only what is safe there may be called.
[[noreturn]] void become(char* const* argv, const char* directory, const char* log, pid_t parent,
                         int report) {
  const auto give_up = [&] {
    const int error = errno;
    [[maybe_unused]] const auto written = write(report, &error, sizeof error);
    _exit(127);
  };
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const int input = open("/dev/null", O_RDONLY);
  const int output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (input < 0 || output < 0) give_up();
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (*directory != '\0' && chdir(directory) != 0) give_up();
  execvp(argv[0], argv);
  give_up();
  _exit(127);
}

}  // namespace

bool Ended::ok() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

std::string Ended::sentence() const {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

Started start_process(const std::vector<std::string>& argv, const std::string& directory,
                      const std::string& log) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return {0, std::string("no pipe: ") + strerror(errno)};
  const pid_t self = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(words.data(), directory.c_str(), log.c_str(), self, report[1]);
  const int fork_error = errno;
  close(report[1]);
  int error = 0;
  const bool failed = pid > 0 && read(report[0], &error, sizeof error) == sizeof error;
  close(report[0]);
  if (pid < 0) return {0, std::string("cannot start a process: ") + strerror(fork_error)};
  if (!failed) {
    setpgid(pid, pid);
    return {pid, ""};
  }
  waitpid(pid, nullptr, 0);
  return {0, "cannot run " + argv[0] + ": " + strerror(error)};
}

std::optional<Ended> reap_one() {
  int status = 0;
  const pid_t pid = waitpid(-1, &status, WNOHANG);
  if (pid <= 0) return std::nullopt;
  return Ended{pid, status};
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void signal_group(pid_t pid, int signal) { kill(-pid, signal); }

void kill_all_children() {
  while (true) {
    std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
    pid_t pid = 0;
    bool any = false;
    while (children >> pid) {
      any = true;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    if (!any) return;
  }
}

}  // namespace sluice::cli
