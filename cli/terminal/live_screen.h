#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/terminal/live_lines.h"
#include "cli/terminal/non_blocking_writer.h"

namespace sluice::cli {

/// A terminal that shows lines of ours below all other text. Text and lines go out together, in a
/// single write if they fit into PIPE_BUF bytes, so that the lines stay in view.
class LiveScreen {
 public:
  explicit LiveScreen(int descriptor) : writer_(descriptor) {}

  /// Replaces the lines, but not within an open line of other text.
  void show(const std::vector<std::string>& lines);
  /// Writes complete lines above ours.
  void write(std::string_view text) { writer_.write(lines_.above(text)); }
  /// Writes text of jobs above ours, which are hidden while a line of that text is open.
  void pass(std::string_view text);
  /// For text that reaches the terminal without this class.
  void hide() { writer_.write(lines_.hide()); }
  void restore();

  /// Whether text for `descriptor` goes to the same terminal.
  bool is_also(int descriptor) const;
  /// Bytes that `pass` takes at once; more would need several writes.
  std::size_t space() const;

  NonBlockingWriter& writer() { return writer_; }

 private:
  NonBlockingWriter writer_;
  LiveLines lines_;
  bool is_line_open_ = false;
};

}  // namespace sluice::cli
