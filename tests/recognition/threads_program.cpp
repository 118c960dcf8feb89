// A process of two threads, of which the second does something, or of one:
//
//   threads_program exec MICROSECONDS COMMAND [ARG...]   executes the command after that time
//   threads_program outlive MILLISECONDS                 goes on without the first from half of it
//   threads_program write MILLISECONDS FILE              creates a file after that time
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const int time = std::atoi(arguments[2]);
  if (std::strcmp(arguments[1], "outlive") == 0) {
    std::thread([time] {
      std::this_thread::sleep_for(std::chrono::milliseconds(time));
      _exit(0);
    }).detach();
    // So that it is seen with its command, which goes with the first thread.
    std::this_thread::sleep_for(std::chrono::milliseconds(time / 2));
    pthread_exit(nullptr);
  }
  if (std::strcmp(arguments[1], "write") == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(time));
    return creat(arguments[3], 0644) < 0 ? 1 : 0;
  }
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::microseconds(time));
    execvp(arguments[3], arguments + 3);
    _exit(127);
  }).detach();
  while (true) pause();
}
