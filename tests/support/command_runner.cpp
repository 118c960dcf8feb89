#include "command_runner.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "contents.h"

namespace sluice::testing {
namespace {

void send_to(const std::string& path, int stream) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  dup2(file, stream);
}

}  // namespace

bool gone(pid_t process) {
  const std::string text = contents_of("/proc/" + std::to_string(process) + "/stat");
  return text.empty() || text.find(") Z ") != std::string::npos;
}

CommandRunner::CommandRunner(const std::vector<std::string>& command, const std::string& folder)
    : out_(folder + "/out"), err_(folder + "/err") {
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  send_to(out_, STDOUT_FILENO);
  send_to(err_, STDERR_FILENO);
  execv(arguments[0], arguments.data());
  _exit(99);
}

CommandRunner::~CommandRunner() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

int CommandRunner::wait() {
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return status;
}

std::string CommandRunner::out() const { return contents_of(out_); }

std::string CommandRunner::err() const { return contents_of(err_); }

}  // namespace sluice::testing
