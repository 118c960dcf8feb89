#pragma once

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
  stop  ///< The core has ended.
};

/// Gives each call to a core as bytes: its number since the core began, from 1, the call, the time
/// since the call before it, the arguments, the answers of the cost model, and the result. Not
/// thread-safe. Allocates nothing unless a call is larger than any before. Never throws: a call
/// that it has no memory for is missing, which its number shows.
class InputLog {
 public:
  using Sink = std::function<void(TimePoint at, std::string_view call)>;

  explicit InputLog(Sink sink);
  /// Says that the core has ended: a record without it is that of a process that was killed.
  ~InputLog();
  InputLog(const InputLog&) = delete;
  InputLog& operator=(const InputLog&) = delete;

  /// A copy of `model` whose answers are recorded with each call. This log must outlive the copy.
  CostModel with_recorded_answers(CostModel model);

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
  AnswerTable answers_;
  std::string bytes_;
  std::uint64_t number_ = 0;
  TimePoint now_;  ///< Of the last call that had a time.
  std::uint64_t asked_ = 0;
  bool is_open_ = false;   ///< Between `begin` and `end`.
  bool is_whole_ = false;  ///< Nothing of the call is missing.
};

}  // namespace sluice::inputs
