#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "governor/inputs/reader.h"
#include "sluice/job.h"
#include "sluice/prediction.h"

// A core asks its cost model many questions per pass. An answer is recorded only if it differs from
// the last one to the same question, and as a number if that prediction was recorded lately.

namespace sluice::inputs {

/// A hash of the fields of a job that a cost model reads. If a model tells two jobs apart by other
/// fields, the record only grows: the answer to their common question then changes each time.
std::uint64_t question_of(const JobRequest& job);

/// The answers that were recorded last, and the last one to each of the questions asked lately.
/// Both sides have it, so that a recorded answer is a number to the other. Of a fixed size.
struct LastAnswers {
  struct Known {
    Prediction prediction;
    std::uint32_t version = 0;  ///< 0: none.
  };
  struct Asked {
    std::uint64_t question = 0;
    std::uint32_t place = 0, version = 0;  ///< Of its answer.
  };

  static constexpr std::size_t kAnswers = 256, kQuestions = 4096;
  std::vector<Known> known{kAnswers};
  std::vector<Asked> asked{kQuestions};

  Asked& last(std::uint64_t question) { return asked[question % kQuestions]; }
  /// The answer that is still known; null if there is none.
  const Prediction* answer_to(std::uint64_t question) const;
  void clear() noexcept;
};

/// The recording side.
class AnswerTable {
 public:
  /// Appends the answer unless it is that of the last time. `asked`: the questions since the last
  /// one with a new answer, 1 for the next one. True if it was appended.
  bool append_if_new(std::string& out, std::uint64_t asked, const JobRequest& job,
                     const Prediction& answer);
  void clear() noexcept { last_.clear(); }

 private:
  LastAnswers last_;
};

/// The replaying side: a cost model that answers as recorded.
class RecordedAnswers {
 public:
  /// Reads the answers that were given in one call; `finish_call` ends it.
  void begin_call(Reader& reader);
  Prediction answer(const JobRequest& job);
  /// Whether the call asked all that is recorded, and nothing without a recorded answer.
  bool finish_call() const { return is_as_recorded_ && next_ == changes_.size(); }

 private:
  struct Change {
    std::uint64_t at = 0;  ///< Counts the questions of a call from 1.
    std::uint32_t place = 0;
    std::optional<Prediction> is_new;
  };

  LastAnswers last_;
  std::vector<Change> changes_;  ///< In the call.
  std::size_t next_ = 0;
  std::uint64_t asked_ = 0;
  bool is_as_recorded_ = true;
};

}  // namespace sluice::inputs
