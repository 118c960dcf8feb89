/* eat MIB [SECONDS [GROW]]: holds so much memory, touched at once or within GROW seconds, and ends
 * SECONDS later. A static program of the kernel tests' guest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
  for (long done = 0; done < mebibytes; ++done) {
    char* memory = malloc(kMebibyte);
    if (memory == NULL) return 1;
    memset(memory, 1 + (int)(done % 100), kMebibyte);
    if (grow > 0) sleep_for(grow / (double)mebibytes);
  }
  sleep_for(seconds);
  return 0;
}
