#include "cli/terminal/screen.h"

#include <unistd.h>

#include "base/descriptors.h"
#include "base/terminal_stop.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {

Screen::Screen(int in, int out) : in_(in), out_(out) { acquire_terminal(); }

Screen::~Screen() { restore_terminal(); }

void Screen::acquire_terminal() {
  termios now{};
  if (isatty(in_) && tcgetattr(in_, &now) == 0) {
    before_ = now;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(in_, TCSANOW, &now);
  }
  // Without wrapping, a line wider than the terminal's idea of it ends at the edge and moves no
  // others.
  write_all(out_, "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J");
}

/// If the terminal is gone, its SIGHUP ends this process: what is not written does not matter.
void Screen::restore_terminal() const {
  write_all(out_, "\x1b[?7h\x1b[?25h\x1b[?1049l");
  if (before_) tcsetattr(in_, TCSAFLUSH, &*before_);
}

void Screen::draw(const std::vector<std::string>& lines) const {
  const std::size_t width = style_of(out_).width;
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += (i > 0 ? "\r\n" : "") + lines[i];
    // Clears each line behind its end, since clearing the whole screen would flicker. Behind a full
    // line there is nothing to clear, and the cursor is on its last character.
    if (columns_of(lines[i]) < width) text += i + 1 < lines.size() ? "\x1b[K" : "\x1b[J";
  }
  write_all(out_, text);
}

void Screen::suspend() {
  restore_terminal();
  stop_by_sigtstp();
  acquire_terminal();
}

}  // namespace sluice::cli
