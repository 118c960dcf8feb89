// A program that needs no shared library:
//
//   static_program detach COMMAND [ARG...]        leaves it behind in a session of its own
//   static_program orphans NUMBER FILE COMMAND    leaves so many of it behind, and lives until FILE
//                                                 has as many lines, but at most 20 s
//   static_program compute MILLISECONDS FILE      computes for so long, then creates a file
//   static_program retitle FILE DONE              once there is a file, writes over its first word,
//                                                 creates another one, and sleeps for a minute
//   static_program filtered COMMAND [ARG...]      executes it under a seccomp filter that kills
//                                                 what connects, signals or traces
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {

int detach(char** command) {
  if (fork() != 0) return 0;
  setsid();
  if (fork() != 0) _exit(0);
  execvp(command[0], command);
  _exit(127);
}

std::ptrdiff_t lines_in(const char* file) {
  std::ifstream text(file);
  return std::count(std::istreambuf_iterator<char>(text), {}, '\n');
}

int leave_orphans(int number, const char* file, char** command) {
  for (int at = 0; at < number; ++at) {
    const pid_t between = fork();
    if (between == 0) _exit(detach(command));
    waitpid(between, nullptr, 0);
  }
  for (int round = 0; round < 1000 && lines_in(file) < number; ++round) usleep(20'000);
  return 0;
}

int compute(int milliseconds, const char* file) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (Clock::now() < until) {
  }
  return creat(file, 0644) < 0 ? 1 : 0;
}

int retitle(char* word, const char* file, const char* done) {
  for (int round = 0; round < 3000 && access(file, F_OK) != 0; ++round) usleep(10'000);
  std::memset(word, 'x', std::strlen(word));
  if (creat(done, 0644) < 0) return 1;
  sleep(60);
  return 0;
}

int filtered(char** command) {
  constexpr auto fatal =
      std::to_array<unsigned>({SYS_socket, SYS_connect, SYS_kill, SYS_tgkill, SYS_ptrace});
  constexpr auto size = fatal.size() + 3;
  std::array<sock_filter, size> code{};
  code[0] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (std::size_t at = 0; at < fatal.size(); ++at) {
    const auto to_end = static_cast<unsigned char>(fatal.size() - at);
    code[at + 1] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, fatal[at], to_end, 0);
  }
  code[size - 2] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[size - 1] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  const sock_fprog program{size, code.data()};
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // The leak sanitizer traces.
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 3;
  execvp(command[0], command);
  return 127;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 2 && std::strcmp(arguments[1], "filtered") == 0) return filtered(arguments + 2);
  if (count > 2 && std::strcmp(arguments[1], "detach") == 0) return detach(arguments + 2);
  if (count > 4 && std::strcmp(arguments[1], "orphans") == 0) {
    return leave_orphans(std::atoi(arguments[2]), arguments[3], arguments + 4);
  }
  if (count > 3 && std::strcmp(arguments[1], "retitle") == 0) {
    return retitle(arguments[0], arguments[2], arguments[3]);
  }
  return count > 3 ? compute(std::atoi(arguments[2]), arguments[3]) : 2;
}
