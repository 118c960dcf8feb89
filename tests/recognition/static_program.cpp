// A program that needs no shared library:
//
//   static_program detach COMMAND [ARG...]      leaves it behind in a session of its own, as a
//   daemon static_program compute MILLISECONDS FILE    computes for so long, then creates a file
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace {

int detach(char** command) {
  if (fork() != 0) return 0;
  setsid();
  if (fork() != 0) _exit(0);
  execvp(command[0], command);
  _exit(127);
}

int compute(int milliseconds, const char* file) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (Clock::now() < until) {
  }
  return creat(file, 0644) < 0 ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 2 && std::strcmp(arguments[1], "detach") == 0) return detach(arguments + 2);
  return count > 3 ? compute(std::atoi(arguments[2]), arguments[3]) : 2;
}
