#include "cli/status/input_monitor.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/readiness.h"

namespace sluice::cli {

bool InputMonitor::wait(int descriptor, TimePoint until) {
  while (!ended) {
    if (stopped || resized || !pressed.empty()) return false;
    pollfd ready[] = {
        {descriptor, POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}, {keys_, POLLIN, 0}};
    if (poll(ready, 3, poll_timeout(until - Clock::now())) == 0) return false;
    if (ready[1].revents != 0) take_signals();
    if (ready[2].revents != 0) take_keys();
    if (ready[0].revents != 0) return !ended;
  }
  return false;
}

void InputMonitor::take_signals() {
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

void InputMonitor::take_keys() {
  std::array<char, 64> sent{};
  const ssize_t got = read(keys_, sent.data(), sent.size());
  if (got <= 0) {
    keys_ = -1;
    return;
  }
  for (const Key key : keys_in({sent.data(), static_cast<std::size_t>(got)})) {
    if (key == Key::quit) ended = true;
    if (key != Key::quit) pressed.push_back(key);
  }
}

std::vector<Key> keys_in(std::string_view sent) {
  // The sequences of named keys in xterm and compatible terminals, also in application mode.
  static constexpr std::pair<std::string_view, Key> kKeys[] = {
      {"\x1b[A", Key::up},       {"\x1bOA", Key::up},   {"k", Key::up},
      {"\x1b[B", Key::down},     {"\x1bOB", Key::down}, {"j", Key::down},
      {"\x1b[5~", Key::page_up}, {"b", Key::page_up},   {"\x1b[6~", Key::page_down},
      {" ", Key::page_down},     {"\x1b[H", Key::home}, {"\x1bOH", Key::home},
      {"\x1b[1~", Key::home},    {"g", Key::home},      {"\x1b[F", Key::end},
      {"\x1bOF", Key::end},      {"\x1b[4~", Key::end}, {"G", Key::end},
      {"s", Key::sort},          {"?", Key::help},      {"h", Key::help},
      {"q", Key::quit},          {"Q", Key::quit}};
  std::vector<Key> keys;
  while (!sent.empty()) {
    const auto* key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                   [&](const auto& each) { return sent.starts_with(each.first); });
    if (key == std::end(kKeys)) {
      sent.remove_prefix(1);
      continue;
    }
    keys.push_back(key->second);
    sent.remove_prefix(key->first.size());
  }
  return keys;
}

}  // namespace sluice::cli
