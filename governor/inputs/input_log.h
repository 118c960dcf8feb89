#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "governor/inputs/answer_table.h"
#include "governor/inputs/writer.h"
#include "sluice/prediction.h"
#include "sluice/units.h"

namespace sluice::inputs {

/// A call that changes a core. The numbers are those of the record: append only.
enum class CoreCall : std::uint8_t {
  start = 1,  ///< A new core.
  try_admit,
  submit,
  admit_or_queue,
  cancel,
  restore,
  set,
  operate_queue,
  ended,  ///< `Core::take_ended`.
  finish,
  started,
  measured,
  observe_use,
  observe_memory,
  operate,
  pass,
  observe,
  adjust_window,
  check_registration,
  reload,
  refused_for_window,
  stop,       ///< The core has ended.
  start_over  ///< It goes on from a state that the record holds: see governor/saved_core.h.
};

/// Gives each call to a core as bytes: its number since the core began, from 1, the call, the
/// time since the call before it, the arguments, the answers of the cost model, and the result. Not
/// thread-safe. Allocates nothing unless a call is larger than any before. Never throws: a call
/// that it has no memory for is missing, which its number shows.
class InputLog {
 public:
  using Sink = std::function<void(TimePoint at, std::string_view call)>;

  /// Bytes of calls after which a new beginning is due: a replay may have to skip so many. After a
  /// large one it takes longer. 0: one is always due.
  static constexpr std::size_t kDue = std::size_t{1} << 20;

  explicit InputLog(Sink sink, std::size_t due = kDue);
  /// Says that the core has ended: a record without it is that of a process that was killed.
  ~InputLog();
  InputLog(const InputLog&) = delete;
  InputLog& operator=(const InputLog&) = delete;

  /// A copy of `model` whose answers are recorded with each call. This log must outlive the copy.
  CostModel with_recorded_answers(CostModel model);

  /// Whether a beginning is worth its size.
  bool is_beginning_due() const {
    return due_ == 0 || since_beginning_ >= std::max(due_, kWorth * size_of_beginning_);
  }
  /// The next call is a beginning, `start_over`, with this state: nothing that was recorded before
  /// is needed to read it. False if it is too large for a record; then none is due for a while.
  bool begin_again(const auto& state) noexcept {
    bytes_.clear();
    is_whole_ = true;
    add(state);
    return begin_again(bytes_.size());
  }

  /// `now`: nullopt for a call that has no time.
  void begin(CoreCall call, std::optional<TimePoint> now, const auto&... arguments) noexcept {
    begin_call(call, now);
    add(arguments...);
    is_open_ = true;
  }
  void end(const auto&... results) noexcept {
    is_open_ = false;
    add(std::uint64_t{0}, results...);  // No more answers.
    end_call();
  }

 private:
  /// A beginning is at most this part of a record.
  static constexpr std::size_t kWorth = 16;
  /// Half of what a record has room for between two writes.
  static constexpr std::size_t kMostBytes = std::size_t{2} << 20;

  bool begin_again(std::size_t size) noexcept;

  void begin_call(CoreCall call, std::optional<TimePoint> now) noexcept;
  void end_call() noexcept;
  void record_answer(const JobRequest& job, const Prediction& answer) noexcept;
  void add(const auto&... values) noexcept {
    try {
      Writer{bytes_}(values...);
    } catch (...) {
      is_whole_ = false;
    }
  }

  const Sink sink_;
  const std::size_t due_;
  std::size_t since_beginning_ = 0;  ///< Bytes of calls.
  std::size_t size_of_beginning_ = 0;
  bool begins_ = false;  ///< The next call is a beginning.
  AnswerTable answers_;
  std::string bytes_;
  std::uint64_t number_ = 0;
  TimePoint now_;  ///< Of the last call that had a time.
  std::uint64_t asked_ = 0;
  bool is_open_ = false;   ///< Between `begin` and `end`.
  bool is_whole_ = false;  ///< Nothing of the call is missing.
};

}  // namespace sluice::inputs
