#include "cli/whatif/run.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "base/value_or_throw.h"
#include "cli/record/span.h"
#include "cli/replay/plot.h"
#include "cli/settings/config_from.h"
#include "cli/terminal/gnuplot.h"
#include "cli/terminal/output_file.h"
#include "cli/terminal/terminal.h"
#include "cli/whatif/comparison.h"
#include "cli/whatif/scenario_text.h"
#include "config/source_text.h"

namespace sluice::cli {
namespace {

record::RecordFolder folder_of(const std::string& path) {
  const std::string inner = path + "/" + record::kFolderName;
  std::error_code ignored;
  const bool has_inner = std::filesystem::exists(inner, ignored);
  auto folder =
      value_or_throw(record::RecordFolder::open_to_read(has_inner ? inner : path), "no record: ");
  if (folder.segments().empty()) {
    refuse("no record: " + path + " has no segments, nor a folder `record`");
  }
  return folder;
}

RecordedWork work_in(const record::RecordFolder& folder, const Span& span) {
  RecordedWork work;
  read_part(folder, span, [&](const auto& each, Side side) { work.add(each, side); });
  return work;
}

/// The recorded work under a configuration. A record lacks the same for every variant, so the error
/// names only the record, by its `path`.
RecordedScenario scenario_for(const RecordedWork& work, const ScenarioOverrides& overrides,
                              const std::string& path) {
  auto scenario = scenario_of(work, overrides);
  if (const auto* problem = std::get_if<std::string>(&scenario)) refuse(path + ": " + *problem);
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&scenario)) refuse(*errors);
  return std::get<RecordedScenario>(std::move(scenario));
}

ScenarioOverrides overrides_of(const Variant& variant) {
  ScenarioOverrides overrides;
  if (variant.config_file) {
    overrides.config = {value_or_refuse(read_text(*variant.config_file, kMostConfigBytes)),
                        *variant.config_file};
  }
  overrides.settings = variant.settings;
  overrides.cpus = variant.cpus;
  overrides.memory = variant.memory;
  return overrides;
}

using Modelled = std::variant<RunFigures, ConfigError>;

/// Runs all scenarios, several at once, and says on a terminal how far it is.
std::vector<Modelled> run_all(const std::vector<Scenario>& scenarios, std::size_t threads) {
  std::vector<Modelled> results(scenarios.size());
  std::atomic<std::size_t> next{0}, done{0};
  const bool shows = isatty(STDERR_FILENO) && scenarios.size() > 1;
  const auto work = [&] {
    for (std::size_t at = next++; at < scenarios.size(); at = next++) {
      results[at] = run_model(scenarios[at]);
      const std::size_t count = ++done;
      if (shows) {
        std::cerr << "\r" + std::to_string(count) + " of " + std::to_string(scenarios.size()) +
                         " runs of the model\x1b[K";
      }
    }
  };
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (std::size_t at = 1; at < std::min(threads, scenarios.size()); ++at) {
    others.emplace_back(work);
  }
  work();
  for (std::thread& each : others) each.join();
  if (shows) std::cerr << "\r\x1b[K";
  return results;
}

void add_remarks(const RecordedScenario& recorded, std::vector<std::string>& remarks) {
  for (const std::string& each : recorded.remarks) {
    if (std::ranges::find(remarks, each) == remarks.end()) remarks.push_back(each);
  }
}

/// The scenario, after its remarks on standard error.
Scenario remarked(RecordedScenario recorded) {
  for (const std::string& each : recorded.remarks) std::cerr << harmless(each) << "\n";
  return std::move(recorded.scenario);
}

/// The waits of the jobs that the record tells of, too.
void restrict_to(const RunFigures& recorded, RunFigures& figures) {
  std::erase_if(figures.waits,
                [&](const auto& each) { return !recorded.waits.contains(each.first); });
}

ComparedRow row_of(const std::string& name, Modelled modelled, const RunFigures& recorded) {
  if (const auto* error = std::get_if<ConfigError>(&modelled)) return {name, {}, error->message};
  ComparedRow row{name, std::get<RunFigures>(std::move(modelled))};
  restrict_to(recorded, row.figures);
  return row;
}

void set_model(ComparedRow row, Comparison& comparison) {
  comparison.model_failure = std::move(row.failure);
  if (comparison.model_failure.empty()) comparison.model = std::move(row.figures);
}

}  // namespace

int export_scenario(const RecordPlace& place, const std::string& from, const std::string& to,
                    const std::string& file) {
  const Span span = span_asked_for(from, to);
  const record::RecordFolder folder = open_record(place);
  const RecordedWork work = work_in(folder, span);
  const Scenario scenario = remarked(scenario_for(work, {}, folder.path()));
  const std::filesystem::path jobs = file + ".jobs.jsonl";
  OutputFile output(jobs), settings(file);
  settings.buffer() = scenario_yaml(scenario, jobs.filename());
  output.buffer() = jobs_text(scenario);
  settings.close();
  output.close();
  return 0;
}

Scenario scenario_of_record(const std::string& record, const std::string& config_file) {
  const record::RecordFolder folder = folder_of(record);
  Variant variant;
  if (!config_file.empty()) variant.config_file = config_file;
  return remarked(scenario_for(work_in(folder, {}), overrides_of(variant), folder.path()));
}

int run_whatif(const WhatifQuery& query) {
  const std::vector<Variant> variants = value_or_throw(variants_of(query.grid));
  if (!query.plot.empty()) {
    if (const auto problem = problem_of_picture(query.plot)) refuse("--plot: " + *problem);
  }
  const Span span = span_asked_for(query.from, query.to);
  const record::RecordFolder folder = folder_of(query.record);
  const RecordedWork work = work_in(folder, span);
  std::vector<RecordedScenario> recorded;
  for (const Variant& each : variants) {
    recorded.push_back(scenario_for(work, overrides_of(each), folder.path()));
  }

  Comparison comparison;
  comparison.record = folder.path();
  std::vector<Scenario> scenarios;
  // A variant with a configuration of its own needs none on record.
  auto same = scenario_of(work, {});
  const bool is_known = std::holds_alternative<RecordedScenario>(same);
  if (!is_known && recorded.empty()) scenario_for(work, {}, folder.path());
  if (is_known) add_remarks(std::get<RecordedScenario>(same), comparison.remarks);
  for (const RecordedScenario& each : recorded) add_remarks(each, comparison.remarks);
  comparison.recorded =
      is_known ? std::get<RecordedScenario>(std::move(same)) : std::move(recorded.front());
  if (is_known) scenarios.push_back(comparison.recorded.scenario);
  for (RecordedScenario& each : recorded) scenarios.push_back(std::move(each.scenario));
  if (!is_known) scenarios.front() = comparison.recorded.scenario;

  const RunFigures& happened = comparison.recorded.recorded;
  std::vector<Modelled> modelled = run_all(scenarios, query.threads);
  auto next = modelled.begin();
  if (is_known) set_model(row_of("", std::move(*next++), happened), comparison);
  for (const Variant& each : variants) {
    comparison.rows.push_back(row_of(each.name, std::move(*next++), happened));
  }
  std::cout << (query.print == WhatifQuery::Print::json ? comparison_json(comparison)
                                                        : comparison_text(comparison));
  const int status = has_failures(comparison) ? 1 : 0;
  if (query.plot.empty()) return status;
  const auto problem = run_gnuplot(waits_plot(comparison, query.plot));
  if (problem) throw std::runtime_error("--plot: " + *problem);
  return status;
}

}  // namespace sluice::cli
