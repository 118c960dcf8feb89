#include "cli/screen.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace sluice::cli {

Screen::Screen(int in, int out) : in_(in), out_(out) { take(); }

Screen::~Screen() { give_back(); }

void Screen::take() {
  termios now{};
  if (isatty(in_) && tcgetattr(in_, &now) == 0) {
    before_ = now;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(in_, TCSANOW, &now);
  }
  write("\x1b[?1049h\x1b[?25l\x1b[2J");
}

void Screen::give_back() const {
  write("\x1b[?25h\x1b[?1049l");
  if (before_) tcsetattr(in_, TCSAFLUSH, &*before_);
}

void Screen::draw(const std::vector<std::string>& lines) const {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // Each line is cleared behind its end: a whole clear would flicker.
    text += (i > 0 ? "\r\n" : "") + lines[i] + "\x1b[K";
  }
  write(text + "\x1b[J");
}

void Screen::suspend() {
  give_back();
  raise(SIGSTOP);
  take();
}

void Screen::write(const std::string& text) const {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(out_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;  // The terminal has gone; its SIGHUP ends this.
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace sluice::cli
