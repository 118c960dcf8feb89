#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

/// Lines that stay below all other text on a terminal and are replaced in place. Each function
/// returns the text to write as a whole: in a single write, the lines never disappear from view.
/// Pure.
class LiveLines {
 public:
  /// Replaces the current lines. None may be wider than the terminal.
  std::string show(const std::vector<std::string>& lines);
  /// Puts complete lines of other text above them.
  std::string above(std::string_view text) const;
  /// Removes the lines, so that others can write to the terminal; empty if they are hidden.
  std::string hide();
  /// Puts back the lines that `hide` removed; empty if they are not hidden.
  std::string restore();

 private:
  std::string erase() const;

  std::string text_;
  std::size_t lines_ = 0;
  bool is_hidden_ = false;
};

}  // namespace sluice::cli
