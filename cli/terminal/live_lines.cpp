#include "cli/terminal/live_lines.h"

#include <utility>

namespace sluice::cli {

/// Line by line: tmux keeps a copy of a screen that is erased as a whole (`ESC [ J` from its first
/// line on) in its history.
std::string LiveLines::erase() const {
  if (lines_ == 0 || is_hidden_) return "";
  const std::string up = "\x1b[" + std::to_string(lines_) + "A";
  std::string text = up;
  for (std::size_t line = 0; line < lines_; ++line) text += "\x1b[K\n";
  return text + up;
}

std::string LiveLines::show(const std::vector<std::string>& lines) {
  std::string text = erase();
  text_.clear();
  for (const std::string& line : lines) text_ += line + "\n";
  lines_ = lines.size();
  is_hidden_ = false;
  return text += text_;
}

std::string LiveLines::above(std::string_view text) const {
  return erase() + std::string(text) + (is_hidden_ ? "" : text_);
}

std::string LiveLines::hide() {
  std::string text = erase();
  is_hidden_ = lines_ > 0;
  return text;
}

std::string LiveLines::restore() { return std::exchange(is_hidden_, false) ? text_ : ""; }

}  // namespace sluice::cli
