#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

/// Lines that stay below all other text on a terminal and are replaced in place. Gives what has to
/// be written for that, each time as one text: written at once, the lines are never missing.
/// Pure.
class LiveLines {
 public:
  /// Shows these lines in place of the last ones. None may be wider than the terminal.
  std::string show(const std::vector<std::string>& lines);
  /// Puts whole lines of other text above them.
  std::string above(std::string_view text) const;
  /// Takes them off, for what others write to the same terminal; empty: they are off.
  std::string hide();
  /// Puts back what `hide` took off; empty: nothing was.
  std::string restore();

 private:
  std::string erase() const;

  std::string text_;
  std::size_t lines_ = 0;
  bool is_hidden_ = false;
};

}  // namespace sluice::cli
