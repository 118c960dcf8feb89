#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/descriptors.h"

namespace sluice::cli {

/// The end of an item of a batch's input; `word` for arguments after `:::`.
enum class BatchEnd { newline, nul, word };

/// The source of a batch's lines: the command line, a file read as a whole, or a stream read while
/// jobs run.
class BatchSource {
 public:
  /// Standard input for "-"; otherwise one line that says why the file cannot be read.
  static std::variant<BatchSource, std::string> open(const std::string& path, BatchEnd end);
  /// Lines known in advance.
  explicit BatchSource(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  /// Whether more input may arrive.
  bool is_stream() const { return bool{descriptor_}; }
  /// Poll it before `read`.
  int descriptor() const { return descriptor_.get(); }
  /// Reads what has arrived. At the end of the stream, or after an error, this stops being a
  /// stream; after an error `problem` says why, and an incomplete last line is dropped.
  void read();
  /// "FILE: why", if not everything could be read; nullopt if nothing went wrong so far.
  const std::optional<std::string>& problem() const { return problem_; }

  /// The next complete line, without its terminator; nullopt: call `read`, or the input is over.
  std::optional<std::string> next();
  bool is_over() const {
    return !is_stream() && at_ >= text_.size() && next_line_ >= lines_.size();
  }

 private:
  BatchSource() = default;
  void forget_taken();
  void finish();

  std::vector<std::string> lines_;
  std::size_t next_line_ = 0;
  Descriptor descriptor_;
  char end_ = '\n';
  std::string name_;  ///< Of the file, for people.
  std::optional<std::string> problem_;
  std::string text_;
  std::size_t at_ = 0;
  bool skipping_ = false;  ///< Skipping the rest of an overlong line.
};

}  // namespace sluice::cli
