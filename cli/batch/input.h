#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>

#include "cli/batch/job.h"
#include "cli/batch/source.h"
#include "cli/batch/template.h"

namespace sluice::cli {

/// The problem with a line.
struct BatchProblem {
  std::string field;    ///< Of its JSON object; empty for the line as a whole.
  std::string message;  ///< "must be ..."

  bool operator==(const BatchProblem&) const = default;
};

/// "jobs.txt:3: `after` names `x`, which no earlier line has as its id"
std::string to_sentence(const std::string& place, const BatchProblem& problem);

/// Makes jobs from lines. With a template, a line is an argument; otherwise a JSON object if it
/// begins with `{"` (blanks between the two do not count), else a shell command. Skips empty lines,
/// and lines of commands that begin with #; but no argument that does not end with a newline.
class BatchInput {
 public:
  /// Sets what follows from the whole command: the job's program and, if it has none, its key.
  using Identify = std::function<void(BatchJob&)>;

  /// Arguments that do not end with a newline are taken verbatim, including empty ones, blanks and
  /// carriage returns.
  BatchInput(std::string name, std::optional<BatchTemplate> text, Identify identify,
             BatchEnd end = BatchEnd::newline)
      : name_(std::move(name)),
        template_(std::move(text)),
        identify_(std::move(identify)),
        end_(end) {}

  /// The next line's job; monostate for a line that is skipped.
  std::variant<std::monostate, BatchJob, BatchProblem> parse_line(std::string_view line);

  std::size_t jobs() const { return jobs_; }
  /// Of the last line taken: "jobs.txt:3".
  std::string place() const { return name_ + ":" + std::to_string(lines_); }

 private:
  std::optional<BatchProblem> read(std::string_view line, BatchJob& job);
  std::optional<BatchProblem> enlist(const BatchJob& job);

  std::string name_;
  std::optional<BatchTemplate> template_;
  Identify identify_;
  BatchEnd end_;
  std::size_t lines_ = 0;
  std::size_t jobs_ = 0;
  std::unordered_set<std::string> ids_;
};

}  // namespace sluice::cli
