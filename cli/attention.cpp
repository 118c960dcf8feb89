#include "cli/attention.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace sluice::cli {

bool Attention::wait(int descriptor, TimePoint until) {
  while (!ended) {
    if (stopped || resized) return false;
    using std::chrono::milliseconds;
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    const auto wait_for = static_cast<int>(std::clamp<long long>(left, 0, 3'600'000));
    pollfd ready[] = {
        {descriptor, POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}, {keys_, POLLIN, 0}};
    if (poll(ready, 3, wait_for) == 0) return false;
    if (ready[1].revents != 0) take_signals();
    if (ready[2].revents != 0) take_key();
    if (ready[0].revents != 0) return !ended;
  }
  return false;
}

void Attention::take_signals() {
  while (const auto signal = signals_.next()) {
    if (signal->number == SIGWINCH) {
      resized = true;
    } else if (signal->number == SIGTSTP) {
      stopped = true;
    } else {
      ended = true;
    }
  }
}

void Attention::take_key() {
  char key = 0;
  if (read(keys_, &key, 1) != 1) keys_ = -1;
  ended = ended || key == 'q' || key == 'Q';
}

}  // namespace sluice::cli
