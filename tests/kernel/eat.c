/* eat MIB [SECONDS [GROW]]: holds so much memory, touched at once or within GROW seconds, and ends
 * SECONDS later. A static program of the kernel tests' guest. With EAT_LOG it appends a line there
 * when it begins and when it ends, with the seconds since boot. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void note(const char* what) {
  const char* path = getenv("EAT_LOG");
  if (path == NULL) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  char line[64];
  const int length = snprintf(line, sizeof line, "%s %ld.%03ld\n", what, (long)now.tv_sec, now.tv_nsec / 1000000);
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (file < 0 || write(file, line, (size_t)length) != length) exit(1);
  close(file);
}

static void sleep_for(double seconds) {
  struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  while (nanosleep(&left, &left) != 0) {
  }
}

int main(int argc, char** argv) {
  enum { kMebibyte = 1 << 20 };
  const long mebibytes = argc > 1 ? atol(argv[1]) : 0;
  const double seconds = argc > 2 ? atof(argv[2]) : 0;
  const double grow = argc > 3 ? atof(argv[3]) : 0;
  note("begins");
  /* One piece, which the kernel gives in huge pages: emulated, page by page takes seconds. */
  char* memory = malloc((size_t)mebibytes * kMebibyte);
  if (memory == NULL) return 1;
  for (long done = 0; done < mebibytes; ++done) {
    memset(memory + done * kMebibyte, 1 + (int)(done % 100), kMebibyte);
    if (grow > 0) sleep_for(grow / (double)mebibytes);
  }
  sleep_for(seconds);
  note("ends");
  return 0;
}
