#include "cli/status/watch_choice.h"

#include <algorithm>

namespace sluice::cli {
namespace {

/// The first key down lists jobs only, from the first one on, the first page down from the first
/// one that is not `listed` yet; the key up from the first job ends the list.
std::optional<std::size_t> scrolled(std::optional<std::size_t> first, Key key, std::size_t page,
                                    std::size_t last, std::size_t listed) {
  const std::size_t step = key == Key::page_up || key == Key::page_down ? page : 1;
  const std::size_t begin = key == Key::page_down ? std::min(listed, last) : 0;
  switch (key) {
    case Key::up:
    case Key::page_up:
      if (first.value_or(0) == 0) return std::nullopt;
      return std::min(*first - std::min(*first, step), last);
    case Key::down:
    case Key::page_down:
      return first ? std::min(*first + step, last) : begin;
    case Key::home:
      return std::nullopt;
    case Key::end:
      return last;
    default:
      return first ? std::optional(std::min(*first, last)) : std::nullopt;
  }
}

}  // namespace

std::size_t WatchChoice::most_jobs(std::size_t lines) const {
  // The first by another order may be the last by admission.
  constexpr std::size_t kAll = 10'000;
  return order == Order::place ? std::min(first.value_or(0) + lines, kAll) : kAll;
}

WatchChoice after_key(WatchChoice choice, Key key, std::size_t jobs, std::size_t lines,
                      std::size_t listed) {
  if (key == Key::help) choice.shows_help = !choice.shows_help;
  if (key == Key::sort) {
    choice.order = choice.order == WatchChoice::Order::name
                       ? WatchChoice::Order::place
                       : static_cast<WatchChoice::Order>(static_cast<int>(choice.order) + 1);
  }
  // Lines not for jobs: four at the top, the title of a list and the last line.
  const std::size_t page = lines > 7 ? lines - 6 : 1;
  const std::size_t last = jobs > page ? jobs - page : 0;
  choice.first = scrolled(choice.first, key, page, last, listed);
  if (jobs == 0) choice.first = std::nullopt;
  return choice;
}

}  // namespace sluice::cli
