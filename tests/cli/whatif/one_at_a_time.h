#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <variant>

#include "../record/sample_record.h"
#include "cli/whatif/model_run.h"
#include "cli/whatif/recorded_scenario.h"

namespace sluice::cli::testing {

inline constexpr const char* kOneAtATime =
    "window: {law: rfc, initial: 10, minimum: 10, maximum: 10}\nsensors: {load: off}\n";

/// A machine on which one job of ten points runs at a time.
inline SampleRecord small_day() {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(0s, record::Configured{2000, Bytes{4ULL << 30}, {kOneAtATime}})
      .add(0s, record::Level{});
  return sample;
}

/// Of ten points, in the default queue.
inline record::JobSubmitted submitted_here(std::uint64_t job, const std::string& id) {
  record::JobSubmitted entry = submitted(job, id);
  entry.queue = {"default"};
  entry.own_cost = Points{10};
  return entry;
}

/// After ten seconds on one CPU.
inline record::JobFinished finished_here(std::uint64_t job, const std::string& outcome = "ok") {
  return {JobId{job}, outcome, "finish", "", true, 10s, 10s, Bytes{1}};
}

/// The part of a record as a scenario.
inline RecordedScenario part_of(const SampleRecord& sample, const Span& span = {}) {
  RecordedWork work;
  sample.tell_part(span, [&](const auto& each, Side side) { work.add(each, side); });
  auto result = scenario_of(work, {});
  if (const auto* problem = std::get_if<std::string>(&result)) ADD_FAILURE() << *problem;
  return std::get<RecordedScenario>(std::move(result));
}

/// How long each job waits in the model; those that never start are missing.
inline std::map<std::string, Duration, std::less<>> modelled_waits(const SampleRecord& sample,
                                                                   const Span& span = {}) {
  auto result = run_model(part_of(sample, span).scenario);
  if (const auto* error = std::get_if<ConfigError>(&result)) ADD_FAILURE() << to_string(*error);
  return std::get<RunFigures>(std::move(result)).waits;
}

}  // namespace sluice::cli::testing
