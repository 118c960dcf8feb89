"""The programs that the figures run instead of a compiler, compiled once."""

import subprocess

# hold MEGABYTES GROW_MS HOLD_MS: takes memory evenly, holds it, ends.
# stamp BUSY_MS LOG MEGABYTES GROW_MS: keeps a CPU busy or grows, and appends one line to LOG: its first
# instruction, each end of a stop with what it held then, and its end, in seconds of CLOCK_MONOTONIC. A stop is
# 150 ms in which it did nothing: neither ptrace nor a freezer sends it a signal, as SIGCONT would be one.
SOURCES = {
    "hold": r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char** words) {
  int megabytes = atoi(words[1]), grow = atoi(words[2]), hold = count > 3 ? atoi(words[3]) : 0;
  for (int done = 0; done < megabytes; done += 10) {
    char* block = malloc(10 << 20);
    if (!block) return 1;
    memset(block, 1, 10 << 20);
    usleep(grow * 1000u / (megabytes / 10u));
  }
  usleep(hold * 1000u);
}
""",
    "stamp": r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static double continued[32], last;
static int held_mb[32], times, held;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}
static void look(void) {
  double before = last;
  last = now();
  if (last - before < 0.15 || times == 32) return;
  continued[times] = last;
  held_mb[times++] = held;
}
int main(int count, char** words) {
  double began = last = now();
  int busy = atoi(words[1]), megabytes = count > 3 ? atoi(words[3]) : 0;
  int grow = count > 4 ? atoi(words[4]) : 0;
  for (; held < megabytes; ++held) {
    memset(malloc(1 << 20), 1, 1 << 20);
    usleep(grow * 1000u / megabytes);
    look();
  }
  struct timespec used;
  do {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    look();
  } while (used.tv_sec * 1000.0 + used.tv_nsec / 1e6 < busy);
  char line[2048];
  int size = snprintf(line, sizeof line, "%.6f", began);
  for (int i = 0; i < times; ++i)
    size += snprintf(line + size, sizeof line - size, " %.6f:%d", continued[i], held_mb[i]);
  size += snprintf(line + size, sizeof line - size, " %.6f\n", now());
  int log = open(words[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
  return log < 0 || write(log, line, size) != size;
}
""",
    # With arguments it appends a byte to the file `done`, to be counted.
    "nothing": r"""
#include <fcntl.h>
#include <unistd.h>
int main(int count, char** words) {
  if (count == 1) return 0;
  int file = open("done", O_WRONLY | O_CREAT | O_APPEND, 0600);
  return write(file, words[0], 1) != 1;
}
""",
}


def build(folder):
    """{name: path}; static, so that a start costs nothing but the start."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {}
    for name, text in SOURCES.items():
        made[name] = folder / name
        (folder / f"{name}.c").write_text(text)
        subprocess.run(["gcc", "-O1", "-w", "-static", "-o", str(made[name]),
                        str(folder / f"{name}.c")], check=True)
    return made
