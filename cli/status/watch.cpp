#include "cli/status/watch.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include "base/seconds.h"
#include "cli/status/input_monitor.h"
#include "cli/status/watched_daemon.h"
#include "cli/terminal/screen.h"

namespace sluice::cli {
namespace {

bool has_screen() {
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && term && *term && std::string_view(term) != "dumb";
}

std::size_t height() { return std::max<std::size_t>(style_of(STDOUT_FILENO).height, 1); }

int watch_screen(const std::string& socket, Duration every) {
  const int keys = isatty(STDIN_FILENO) ? STDIN_FILENO : -1;
  InputMonitor input({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH}, keys);
  WatchedDaemon daemon(socket, input);
  Screen screen(STDIN_FILENO, STDOUT_FILENO);
  WatchChoice choice;
  const auto heed_keys = [&] {
    const Watched& watched = daemon.watched();
    const std::size_t jobs = watched.view.all_running + watched.view.all_pending;
    for (const Key key : std::exchange(input.pressed, {})) {
      const std::size_t listed = listed_jobs(watched, style_of(STDOUT_FILENO), choice);
      choice = after_key(choice, key, jobs, height(), listed);
    }
  };
  const auto show = [&] {
    if (input.stopped) screen.suspend();
    input.stopped = input.resized = false;
    heed_keys();
    screen.draw(frame_of(daemon.watched(), style_of(STDOUT_FILENO), choice));
  };
  while (!input.ended) {
    const TimePoint next = Clock::now() + every;
    heed_keys();
    daemon.poll(choice.most_jobs(height()), show);
    do {
      show();
      input.wait(-1, next);
    } while (input.stopped || input.resized);
  }
  return 0;
}

int watch_text(const std::string& socket, Duration every, WatchFor reader) {
  constexpr std::size_t kMostJobs = 10;
  InputMonitor input({SIGINT, SIGTERM, SIGHUP}, -1);
  WatchedDaemon daemon(socket, input);
  while (!input.ended) {
    const TimePoint next = Clock::now() + every;
    if (reader == WatchFor::json) {
      if (const auto change = daemon.change()) std::cout << *change << std::endl;
    } else {
      daemon.poll(kMostJobs);
      for (const std::string& line : frame_of(daemon.watched(), Style{})) std::cout << line << "\n";
      std::cout << std::endl;
    }
    if (!std::cout) return 0;  // The reader is gone; the caller reports that at exit.
    input.wait(-1, next);
  }
  return 0;
}

}  // namespace

int watch(const std::string& socket, Duration every, WatchFor reader) {
  const bool on_screen = has_screen() && reader == WatchFor::people;
  return on_screen ? watch_screen(socket, every) : watch_text(socket, every, reader);
}

}  // namespace sluice::cli
