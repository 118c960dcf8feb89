#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "governor/core.h"
#include "governor/inputs/answer_table.h"
#include "governor/inputs/input_log.h"
#include "governor/inputs/reader.h"

namespace sluice::cli {

/// Repeats recorded calls, see governor/inputs/input_log.h, on a core of its own and compares each
/// result with the recorded one.
class CoreReplay {
 public:
  enum class Step {
    same,
    different,  ///< `difference` says how.
    skipped     ///< Calls before it are missing.
  };
  struct Totals {
    std::uint64_t calls = 0, passes = 0;
    std::uint64_t started = 0;  ///< Jobs, by passes.
    std::uint64_t window_changes = 0;
  };

  /// After anything but `same`, calls are skipped until the next beginning: a new core, or the
  /// state of one.
  Step apply(std::string_view call);

  const std::string& difference() const { return difference_; }
  const Totals& totals() const { return totals_; }
  /// Calls are missing here.
  void forget() { core_.reset(); }

  /// Whether the last call was a beginning that does not follow from the calls before it, and
  /// whether it was that of a new core.
  bool is_at_begin() const { return is_at_begin_; }
  bool is_at_start() const { return is_at_begin_ && next_ == 2; }
  /// Whether a core is being replayed that has not ended.
  bool is_running() const { return core_ && !is_stopped_; }

 private:
  /// Reads the arguments, gives them to `act`, and encodes its result.
  template <typename... Arguments>
  void repeat(inputs::Reader& reader, auto&& act);
  void repeat(inputs::CoreCall call, inputs::Reader& reader);
  void begin_core(inputs::Reader& reader);
  void start_over(inputs::Reader& reader);
  CostModel recorded_model();
  void count(inputs::CoreCall call);

  inputs::Reader::Names names_;  ///< Outlives the core.
  inputs::RecordedAnswers answers_;
  std::optional<Core> core_;
  bool is_stopped_ = false;
  std::uint64_t next_ = 1;
  bool is_at_begin_ = false;
  TimePoint now_;
  std::string_view expected_;  ///< The recorded result of the call.
  std::string result_;
  std::string difference_;
  Totals totals_;
};

}  // namespace sluice::cli
