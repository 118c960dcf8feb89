#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

#include "base/non_copyable.h"

namespace sluice::cli {

/// Takes over a terminal: alternate screen, no cursor, keys delivered at once and not echoed. The
/// destructor restores it.
class Screen : NonCopyable {
 public:
  /// `out` must be a terminal; there are no keys unless `in` is one too.
  Screen(int in, int out);
  ~Screen();

  /// Redraws the screen without flicker.
  void draw(const std::vector<std::string>& lines) const;

  /// Restores the terminal, stops this process as Ctrl-Z does (`stop_by_sigtstp`), and takes over
  /// again when the process continues.
  void suspend();

 private:
  void acquire_terminal();
  void restore_terminal() const;

  const int in_, out_;
  std::optional<termios> before_;
};

}  // namespace sluice::cli
