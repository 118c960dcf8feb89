#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

namespace sluice::cli {

/// A terminal taken as a whole: its second screen, without a cursor, keys that come at once and are
/// not shown. Given back as it was at the end.
class Screen {
 public:
  /// `out` must be a terminal; where `in` is none there are no keys.
  Screen(int in, int out);
  ~Screen();

  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// Replaces what is shown, without flicker.
  void draw(const std::vector<std::string>& lines) const;

  /// Gives it back, stops this process as Ctrl-Z does, and takes it again when it goes on.
  void suspend();

 private:
  void take();
  void give_back() const;
  void write(const std::string& text) const;

  const int in_, out_;
  std::optional<termios> before_;
};

}  // namespace sluice::cli
