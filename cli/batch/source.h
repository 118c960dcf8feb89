#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sluice::cli {

/// What ends an item of a batch's input.
enum class BatchEnd { newline, nul };

/// Where a batch's lines come from: the command line, a file that is read as a whole, or a stream
/// that is read while jobs run already.
class BatchSource {
 public:
  /// Standard input for "-"; otherwise one line that says why the file cannot be read.
  static std::variant<BatchSource, std::string> open(const std::string& path, BatchEnd end);
  /// Lines that are known already.
  explicit BatchSource(std::vector<std::string> lines);

  BatchSource(BatchSource&& other) noexcept;
  BatchSource& operator=(BatchSource&&) = delete;
  ~BatchSource();

  /// Whether more is to come than is known now.
  bool is_stream() const { return descriptor_ >= 0; }
  /// To be polled before `read`.
  int descriptor() const { return descriptor_; }
  /// Takes what has come. At its end the stream is none any more, nor after an error: then
  /// `problem` says which, and a line that had not come whole is none.
  void read();
  /// "FILE: why", if not all could be read; none: nothing is wrong so far.
  const std::optional<std::string>& problem() const { return problem_; }

  /// The next whole line, without its end; none: `read` more, or it was the last.
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
  int descriptor_ = -1;
  char end_ = '\n';
  std::string name_;  ///< Of the file, for people.
  std::optional<std::string> problem_;
  std::string text_;
  std::size_t at_ = 0;
  bool skipping_ = false;  ///< The rest of a line that is longer than any may be.
};

}  // namespace sluice::cli
