#include "governor/inputs/input_log.h"

#include <utility>

namespace sluice::inputs {

InputLog::InputLog(Sink sink, std::size_t due) : sink_(std::move(sink)), due_(due) {
  bytes_.reserve(std::size_t{64} << 10);
}

InputLog::~InputLog() {
  if (number_ == 0) return;
  begin(CoreCall::stop, std::nullopt);
  end();
}

CostModel InputLog::with_recorded_answers(CostModel model) {
  return [this, model = std::move(model)](const JobRequest& job) {
    Prediction answer = model(job);
    if (is_open_) record_answer(job, answer);
    return answer;
  };
}

bool InputLog::begin_again(std::size_t size) noexcept {
  if (!is_whole_ || size > kMostBytes) {
    size_of_beginning_ = size;
    since_beginning_ = 0;
    return false;
  }
  answers_.clear();
  now_ = {};
  begins_ = true;
  return true;
}

void InputLog::begin_call(CoreCall call, std::optional<TimePoint> now) noexcept {
  bytes_.clear();
  asked_ = 0;
  is_whole_ = true;
  const TimePoint at = now.value_or(now_);
  add(++number_, call, at - std::exchange(now_, at));
}

void InputLog::record_answer(const JobRequest& job, const Prediction& answer) noexcept {
  ++asked_;
  try {
    if (answers_.append_if_new(bytes_, asked_, job, answer)) asked_ = 0;
  } catch (...) {
    is_whole_ = false;
  }
}

void InputLog::end_call() noexcept {
  since_beginning_ += bytes_.size();
  if (std::exchange(begins_, false)) {
    size_of_beginning_ = bytes_.size();
    since_beginning_ = 0;
  }
  try {
    if (is_whole_) sink_(now_, bytes_);
  } catch (...) {
    // The sink had no memory; the next number shows that a call is missing.
  }
}

}  // namespace sluice::inputs
