#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/record/exact.h"
#include "cli/replay/autoscale.h"
#include "cli/replay/chart.h"
#include "cli/replay/jobs.h"
#include "cli/replay/plot.h"
#include "cli/replay/records.h"
#include "cli/replay/run.h"
#include "cli/replay/summary.h"
#include "cli/settings/config_from.h"
#include "cli/terminal/gnuplot.h"
#include "cli/terminal/output_file.h"
#include "cli/terminal/terminal.h"
#include "cli/whatif/run.h"
#include "config/scenario.h"

namespace sluice::cli {
namespace {

struct ReplayArguments {
  std::string scenario;
  std::string output, csv, plot;
  std::string config;  ///< For a record.
  bool json = false;
  bool summary = false;
  bool autoscale = false;
};

JobSource scenario_jobs(Scenario& scenario) {
  if (!scenario.jobs_file) return jobs_from(std::move(scenario.jobs));
  auto source = jobs_from_file(scenario.jobs_file->path);
  if (auto* error = std::get_if<ConfigError>(&source)) {
    const ConfigPosition at = scenario.jobs_file->place;
    refuse({{scenario.file, at.line, at.column, "jobs.file: " + to_string(*error)}});
  }
  return std::get<JobSource>(std::move(source));
}

/// The outputs that receive a replay's records and samples.
class Views {
 public:
  Views(const ReplayArguments& arguments, std::vector<std::string> levels)
      : arguments_(arguments),
        levels_(std::move(levels)),
        style_(arguments.output.empty() ? style_of(STDOUT_FILENO) : Style{}),
        as_table_(!arguments.json && arguments.output.empty() && isatty(STDOUT_FILENO)),
        records_(arguments.output) {
    if (!arguments.csv.empty()) {
      csv_.emplace(arguments.csv);
      csv_->buffer() += csv_head(levels_);
    }
    if (as_table_ && !arguments.summary) records_.buffer() += replay_table_head(style_) + "\n";
  }

  ReplaySink sink() {
    ReplaySink sink;
    sink.on_record = [this](const ReplayRecord& record) { add_record(record); };
    sink.on_note = [](const std::string& line) { std::cerr << line << "\n"; };
    if (arguments_.summary || csv_ || !arguments_.plot.empty()) {
      sink.on_instant = [this](const ReplayInstant& instant) { add_instant(instant); };
    }
    return sink;
  }

  /// Called after the last record. `until`: the end of the replay, if later than its last record.
  void end(std::optional<Duration> until) {
    const Duration at = std::max(last_, until.value_or(last_));
    if (arguments_.summary) {
      summary_.end(at);
      records_.buffer() += arguments_.json ? summary_.json() + "\n" : summary_.text();
    }
    records_.close();
    if (csv_) csv_->close();
    if (arguments_.plot.empty()) return;
    chart_.end(at);
    const std::string title = std::filesystem::path(arguments_.scenario).filename();
    const auto problem = run_gnuplot(plot_script(chart_.rows(), levels_, title, arguments_.plot));
    if (problem) throw std::runtime_error("--plot: " + *problem);
  }

  /// Writes the records that preceded an error in the scenario.
  void break_off() { records_.close(); }

 private:
  void add_record(const ReplayRecord& record) {
    if (arguments_.summary) return summary_.add_record(record);
    if (as_table_) {
      records_.buffer() += replay_table_line(record, style_) + "\n";
    } else {
      append_json(records_.buffer(), record);
    }
    records_.keep_short();
  }

  void add_instant(const ReplayInstant& instant) {
    last_ = instant.t;
    if (arguments_.summary) summary_.add_instant(instant);
    if (!arguments_.plot.empty()) chart_.add_instant(instant);
    if (!csv_) return;
    ChartRow row = chart_row(instant);
    row.t = row_.t;
    if (row == row_ && wrote_row_) return;
    row.t = instant.t;
    append_csv(csv_->buffer(), row);
    csv_->keep_short();
    row_ = std::move(row);
    wrote_row_ = true;
  }

  const ReplayArguments& arguments_;
  const std::vector<std::string> levels_;
  const Style style_;
  const bool as_table_;
  OutputFile records_;
  std::optional<OutputFile> csv_;
  ChartRow row_;
  bool wrote_row_ = false;
  ReplaySummary summary_;
  ReplayChart chart_;
  Duration last_{0};
};

/// Replays a scenario of the autoscaler, one line for each decision.
int run_autoscale(const ReplayArguments& arguments) {
  const AutoscaleScenario scenario = value_or_refuse(read_autoscale_scenario(arguments.scenario));
  const bool as_table = !arguments.json && arguments.output.empty() && isatty(STDOUT_FILENO);
  const Style style = as_table ? style_of(STDOUT_FILENO) : Style{};
  OutputFile output(arguments.output);
  if (as_table) output.buffer() += scale_table_head(style) + "\n";
  replay_autoscaler(scenario, [&](const ScaleRecord& record) {
    if (as_table) {
      output.buffer() += scale_table_line(record, style) + "\n";
    } else {
      append_json(output.buffer(), record);
    }
    output.keep_short();
  });
  output.close();
  return 0;
}

/// A record under the configuration that is given, beside what happened.
int compare_record(const ReplayArguments& arguments) {
  WhatifQuery query;
  query.record = arguments.scenario;
  query.grid.config_files = {arguments.config};
  if (arguments.json) query.print = WhatifQuery::Print::json;
  return run_whatif(query);
}

int execute_replay(const ReplayArguments& arguments) {
  if (arguments.autoscale) return run_autoscale(arguments);
  std::error_code ignored;
  const bool is_record = std::filesystem::is_directory(arguments.scenario, ignored);
  if (!is_record && !arguments.config.empty()) {
    throw std::runtime_error("--config is for a record; a scenario has its own `config`");
  }
  const bool has_views = arguments.summary || !arguments.output.empty() || !arguments.csv.empty() ||
                         !arguments.plot.empty();
  if (is_record && !has_views && arguments.config.empty()) {
    return print_exact_replay(arguments.scenario,
                              arguments.json ? ExactFormat::json : ExactFormat::text);
  }
  if (is_record && !has_views) return compare_record(arguments);
  if (!arguments.plot.empty()) {
    if (const auto problem = problem_of_picture(arguments.plot)) {
      throw std::runtime_error("--plot: " + *problem);
    }
  }
  Scenario scenario = is_record ? scenario_of_record(arguments.scenario, arguments.config)
                                : value_or_refuse(read_scenario(arguments.scenario));
  const JobSource jobs = scenario_jobs(scenario);
  const std::string jobs_file = scenario.jobs_file ? scenario.jobs_file->path : scenario.file;
  Views views(arguments, level_names(scenario));
  const auto error = run_replay(scenario, jobs, jobs_file, views.sink());
  if (error) {
    views.break_off();
    refuse({*error});
  }
  views.end(scenario.until);
  return 0;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_status) {
  const auto [replay, arguments] = add_command(
      app, exit_status, "replay",
      "Run a scenario on a virtual clock with the daemon's decision code; print each decision",
      execute_replay);
  add_value(replay, "scenario", arguments.scenario, "SCENARIO.yaml|RECORD",
            "The scenario file (see examples/scenarios), or the folder of a record: its\n"
            "decisions are repeated and compared; with --config, a model of what would have\n"
            "happened, beside what did")
      ->required();
  add_value(replay, "--config", arguments.config, "FILE",
            "For a record: a configuration to try on its work");
  replay.add_flag(
      "--json", arguments.json,
      "Print one JSON object per line; the default unless standard output is a terminal");
  CLI::Option* autoscale =
      replay.add_flag("--autoscale", arguments.autoscale,
                      "Read an autoscaler scenario: how many executors there should be");
  replay
      .add_flag("--summary", arguments.summary,
                "Instead of the records: throughput, waits, what blocked, what was used")
      ->excludes(autoscale);
  add_value(replay, "-o,--output", arguments.output, "FILE",
            "Where to print; default: standard output");
  add_value(replay, "--csv", arguments.csv, "FILE",
            "Window, usage, running, pending and each sensor's pressure over time")
      ->excludes(autoscale);
  add_value(replay, "--plot", arguments.plot, "FILE.svg|png",
            "The data of --csv as a picture; needs gnuplot")
      ->excludes(autoscale);
  replay.footer(
      "A replay reads nothing from this machine, and never sleeps: its clock is virtual.\n\n"
      "Exit status: 0, even if jobs are left waiting; 1 if a recorded decision comes out "
      "differently or a compared row could not be modelled; and 2 for an unusable scenario or "
      "record.\n\n"
      "Examples:\n"
      "  sluice replay examples/scenarios/zuul-mail.yaml\n"
      "  sluice replay week.yaml --json | jq 'select(.event == \"refused\") | .binding'\n"
      "  sluice replay week.yaml --summary --plot week.png\n"
      "  sluice replay /var/lib/sluice\n"
      "  sluice replay /var/lib/sluice --config new.yaml\n"
      "  sluice replay --autoscale examples/scenarios/autoscale-starcluster.yaml\n");
}

}  // namespace sluice::cli
