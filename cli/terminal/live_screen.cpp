#include "cli/terminal/live_screen.h"

#include <limits.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>

namespace sluice::cli {
namespace {

/// Of other text, in a write beside lines that alone nearly fill it.
constexpr std::size_t kLeastSpace = 1024;

}  // namespace

void LiveScreen::show(const std::vector<std::string>& lines) {
  if (!is_line_open_) writer_.write(lines_.show(lines));
}

void LiveScreen::pass(std::string_view text) {
  is_line_open_ = !text.ends_with('\n');
  std::string whole = is_line_open_ ? lines_.hide() : lines_.above(text);
  whole += is_line_open_ ? std::string(text) : lines_.restore();
  writer_.write(whole);
}

void LiveScreen::restore() {
  if (!is_line_open_) writer_.write(lines_.restore());
}

bool LiveScreen::is_also(int descriptor) const {
  struct stat ours {
  }, other{};
  return fstat(writer_.descriptor(), &ours) == 0 && fstat(descriptor, &other) == 0 &&
         ours.st_dev == other.st_dev && ours.st_ino == other.st_ino;
}

std::size_t LiveScreen::space() const {
  const std::size_t taken = lines_.above("").size();
  return taken + kLeastSpace < PIPE_BUF ? PIPE_BUF - taken : kLeastSpace;
}

}  // namespace sluice::cli
