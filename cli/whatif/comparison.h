#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/whatif/recorded_scenario.h"

namespace sluice::cli {

/// What one configuration comes to on the recorded work.
struct ComparedRow {
  std::string name;
  RunFigures figures = {};
  std::string failure = {};  ///< Why it could not be modelled; empty, or there are no figures.
};

/// A what-if as it is printed.
struct Comparison {
  std::string record;               ///< Its folder.
  RecordedScenario recorded;        ///< Under the recorded configuration; its scenario is not used.
  std::optional<RunFigures> model;  ///< Of the same; nullopt if that is not on record, or failed.
  std::string model_failure;        ///< Why that failed; empty if it did not.
  std::vector<ComparedRow> rows;
  std::vector<std::string> remarks;  ///< Of all that were modelled, each once.
};

/// How far the model is from what happened, under the recorded configuration: 0.1 is 10 % more.
struct ModelError {
  std::optional<double> median, p95;     ///< Relative; nullopt if it is infinite.
  Duration median_time{0}, p95_time{0};  ///< Absolute.
};
ModelError model_error(const RunFigures& recorded, const RunFigures& model);

/// Whether a row could not be modelled.
bool has_failures(const Comparison& comparison);

/// The index of the row with the fewest jobs killed for memory, of these that with the fewest that
/// never started, then by the shortest 95th percentile of waits, then the shortest median; the
/// first of equals. nullopt without rows that were modelled.
std::optional<std::size_t> best_of(std::span<const ComparedRow> rows);

/// For people, and as one JSON object with a newline. Both name the same row as the best: the model
/// of the recorded configuration or a variant, or none if only one was modelled.
std::string comparison_text(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);

/// A gnuplot script: which part of the jobs waited how long at most, a curve for each row.
std::string waits_plot(const Comparison& comparison, const std::string& picture);

}  // namespace sluice::cli
