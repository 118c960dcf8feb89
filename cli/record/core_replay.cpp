#include "cli/record/core_replay.h"

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/enum_names.h"
#include "governor/inputs/writer.h"
#include "governor/recorded_core.h"
#include "governor/saved_core.h"

namespace sluice::cli {
namespace {

using inputs::CoreCall;
using inputs::Reader;

std::string_view name_of(CoreCall call) {
  constexpr EnumNames<CoreCall::start_over> kNames(
      "", "start", "try_admit", "submit", "admit_or_queue", "cancel", "restore", "set",
      "operate_queue", "ended", "finish", "started", "measured", "observe_use", "observe_memory",
      "operate", "pass", "observe", "adjust_window", "check_registration", "reload",
      "refused_for_window", "stop", "start_over");
  return call <= CoreCall::start_over ? kNames.of(call) : "an unknown call";
}

bool moves_window(CoreCall call) {
  return call == CoreCall::adjust_window || call == CoreCall::reload;
}

/// A result in words: "starts jobs 17, 18".
std::string result_text(CoreCall call, std::string_view result) {
  Reader::Names names;
  Reader reader(result, names);
  if (call == CoreCall::pass) {
    std::string jobs;
    for (const Admitted& each : reader.next<std::vector<Admitted>>()) {
      jobs += (jobs.empty() ? "starts jobs " : ", ") + std::to_string(each.id.value);
    }
    return jobs.empty() ? "starts no job" : jobs;
  }
  if (moves_window(call)) {
    const auto change = reader.next<std::optional<WindowChange>>();
    return change ? "moves the window: " + to_sentence(*change) : "leaves the window";
  }
  return std::to_string(result.size()) + " bytes of result";
}

}  // namespace

template <typename... Arguments>
void CoreReplay::repeat(Reader& reader, auto&& act) {
  std::tuple<Arguments...> arguments;
  std::apply([&](auto&... each) { reader(each...); }, arguments);
  answers_.begin_call(reader);
  expected_ = reader.rest();
  if (!reader.good()) return;
  using Result = std::invoke_result_t<decltype(act), Arguments...>;
  if constexpr (std::is_void_v<Result>) {
    std::apply(act, std::move(arguments));
  } else {
    inputs::Writer{result_}(std::apply(act, std::move(arguments)));
  }
}

CostModel CoreReplay::recorded_model() {
  return [this](const JobRequest& job) { return answers_.answer(job); };
}

void CoreReplay::begin_core(Reader& reader) {
  repeat<GovernorOptions, std::vector<KnownSensor>>(
      reader, [&](GovernorOptions options, std::vector<KnownSensor> sensors) {
        core_.emplace(std::move(options), recorded_model(), std::move(sensors), now_);
      });
}

/// A core that was replayed up to here must be in the recorded state; else one is made from it.
void CoreReplay::start_over(Reader& reader) {
  answers_.begin_call(reader);
  expected_ = reader.rest();
  if (is_at_begin_) {
    const auto saved = reader.next<SavedCore>();
    if (!reader.good() || !is_consistent(saved)) return;
    core_.emplace(saved, recorded_model(), now_);
    is_stopped_ = false;
  }
  if (core_->may_start_over()) inputs::Writer{result_}(core_->start_over(core_->saved(), now_));
}

void CoreReplay::repeat(CoreCall call, Reader& reader) {
  using Slot = std::uint32_t;
  Core* const core = core_ ? &*core_ : nullptr;
  switch (call) {
    case CoreCall::start:
      return begin_core(reader);
    case CoreCall::try_admit:
      return repeat<JobRequest>(reader, [&](JobRequest job) { return core->try_admit(job, now_); });
    case CoreCall::submit:
      return repeat<JobRequest>(reader,
                                [&](JobRequest job) { return core->submit(std::move(job), now_); });
    case CoreCall::admit_or_queue:
      return repeat<JobRequest>(
          reader, [&](JobRequest job) { return core->admit_or_queue(std::move(job), now_); });
    case CoreCall::cancel:
      return repeat<JobId>(reader, [&](JobId id) { return core->cancel(id); });
    case CoreCall::restore:
      return repeat<GovernorSnapshot>(reader, [&](GovernorSnapshot snapshot) {
        return core->restore(std::move(snapshot), now_);
      });
    case CoreCall::set:
      return repeat<JobId, JobChange>(
          reader, [&](JobId id, const JobChange& change) { return core->set(id, change, now_); });
    case CoreCall::operate_queue:
      return repeat<std::string, Switch>(reader, [&](const std::string& queue, Switch position) {
        return core->operate_queue(queue, position);
      });
    case CoreCall::ended:
      return repeat<>(reader, [&] { return core->take_ended(); });
    case CoreCall::finish:
      return repeat<Slot, Outcome>(
          reader, [&](Slot slot, Outcome outcome) { core->finish(slot, outcome, now_); });
    case CoreCall::started:
      return repeat<Slot>(reader, [&](Slot slot) { core->started(slot); });
    case CoreCall::measured:
      return repeat<Slot, JobUsage>(
          reader, [&](Slot slot, const JobUsage& usage) { core->measured(slot, usage, now_); });
    case CoreCall::observe_use:
      return repeat<UseCounters>(
          reader, [&](UseCounters counters) { core->observe_use(std::move(counters)); });
    case CoreCall::observe_memory:
      return repeat<std::vector<MemoryLimit>>(reader, [&](std::vector<MemoryLimit> limits) {
        core->observe_memory(std::move(limits));
      });
    case CoreCall::operate:
      return repeat<Switch>(reader, [&](Switch position) { core->operate(position); });
    case CoreCall::pass:
      return repeat<>(reader, [&] { return core->pass(now_); });
    case CoreCall::observe:
      return repeat<std::vector<TimedMeasurement>>(
          reader,
          [&](const std::vector<TimedMeasurement>& sweep) { return core->observe(sweep, now_); });
    case CoreCall::adjust_window:
      return repeat<>(reader, [&] { return core->adjust_window(now_); });
    case CoreCall::check_registration:
      return repeat<>(reader, [&] { return core->check_registration(now_); });
    case CoreCall::reload:
      return repeat<GovernorOptions, std::vector<KnownSensor>>(
          reader, [&](GovernorOptions options, std::vector<KnownSensor> sensors) {
            return core->reload(std::move(options), recorded_model(), std::move(sensors), now_);
          });
    case CoreCall::refused_for_window:
      return repeat<>(reader, [&] { core->record_refused_for_window(); });
    case CoreCall::stop:
      return repeat<>(reader, [&] { is_stopped_ = true; });
    case CoreCall::start_over:
      return start_over(reader);
  }
  expected_ = "unknown";
}

void CoreReplay::count(CoreCall call) {
  Reader reader(result_, names_);
  ++totals_.calls;
  if (call == CoreCall::pass) {
    ++totals_.passes;
    totals_.started += reader.next<std::uint64_t>();
  } else if (moves_window(call) && reader.next<bool>()) {
    ++totals_.window_changes;
  }
}

CoreReplay::Step CoreReplay::apply(std::string_view bytes) {
  Reader reader(bytes, names_);
  const auto number = reader.next<std::uint64_t>();
  const auto call = reader.next<CoreCall>();
  const auto passed = reader.next<Duration>();
  const bool is_beginning = call == CoreCall::start || call == CoreCall::start_over;
  const bool is_continued = call == CoreCall::start_over && is_running() && number == next_;
  is_at_begin_ = is_beginning && !is_continued;
  if (is_beginning) {
    answers_ = {};
    now_ = {};
    next_ = number;
  }
  if (is_at_begin_) {
    core_.reset();
    is_stopped_ = false;
  }
  if (number != next_ || (!core_ && !is_beginning)) {
    core_.reset();
    return Step::skipped;
  }
  ++next_;
  now_ += passed;
  result_.clear();
  repeat(call, reader);
  if (reader.good() && expected_ == result_ && answers_.finish_call()) {
    count(call);
    return Step::same;
  }
  difference_ = std::string(name_of(call)) + ": ";
  if (!reader.good()) {
    difference_ += "its bytes cannot be read";
  } else if (expected_ == result_) {
    difference_ += "asks the cost model something else";
  } else {
    difference_ +=
        "the record " + result_text(call, expected_) + ", the replay " + result_text(call, result_);
  }
  core_.reset();
  return Step::different;
}

}  // namespace sluice::cli
