#pragma once

#include <cstddef>
#include <string>

#include "cli/record/open.h"
#include "cli/whatif/variants.h"
#include "config/scenario.h"

namespace sluice::cli {

/// A what-if over a record.
struct WhatifQuery {
  enum class Print { text, json };

  std::string record;    ///< Its folder, or the state folder around it.
  std::string from, to;  ///< As `span_between` reads them; empty for all.
  Grid grid;
  std::string plot;         ///< A picture; empty for none.
  std::size_t threads = 0;  ///< 0: one for each CPU.
  Print print = Print::text;
};

/// Writes the work of a record, or the part from `from` to `to`, as the scenario `file` with its
/// jobs beside it, in FILE.jobs.jsonl; returns the exit status. Throws likewise.
int export_scenario(const RecordPlace& place, const std::string& from, const std::string& to,
                    const std::string& file);

/// The work of a record under its configuration, or that of `config_file` unless it is empty, as a
/// scenario. Throws likewise.
Scenario scenario_of_record(const std::string& record, const std::string& config_file);

/// Runs the recorded work under the recorded configuration and each variant, prints the comparison
/// and returns the exit status: 1 if one could not be modelled, which only its row says. Throws
/// std::runtime_error, with a line for each error, if there is nothing to run.
int run_whatif(const WhatifQuery& query);

}  // namespace sluice::cli
