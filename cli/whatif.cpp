#include <CLI/CLI.hpp>

#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/record/moment.h"
#include "cli/whatif/run.h"

namespace sluice::cli {

void add_whatif(CLI::App& app, int& exit_status) {
  const auto [command, query] = add_command(
      app, exit_status, "whatif",
      "Show what other configurations or machines would have done with recorded work", run_whatif);
  add_value(command, "record", query.record, "RECORD",
            "The folder of a record, or the state_dir that contains it")
      ->required();
  add_value(command, "--config", query.grid.config_files, "FILE",
            "A sluice.yaml to try; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_value(command, "--set", query.grid.settings, "OPTION=VALUE,...",
            "Values to try for one option of the configuration; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_value(command, "--cpus", query.grid.cpus, "N,...", "Numbers of CPUs to try");
  add_value(command, "--memory", query.grid.memory, "SIZE,...", "Sizes of the memory to try");
  add_value(command, "--from", query.from, "TIME",
            std::string("Run only the work from here on: ") + kMomentForms);
  add_value(command, "--to", query.to, "TIME", "Run only the work up to here, in the same forms");
  add_value(command, "--plot", query.plot, "FILE.svg|png",
            "Draw the waits as a picture; needs gnuplot");
  add_value(command, "-j,--jobs", query.threads, "N",
            "Run the model this many times at once; default: once for each CPU")
      ->check(CLI::Range(1, 1024));
  add_choice(command, "--json", query.print, WhatifQuery::Print::json,
             "Print one JSON object, in seconds");
  command.footer(
      "Each combination is one run of the model, which changes nothing in the running system. The "
      "first rows show what happened and what the model makes of it, and so how far to trust "
      "the others. docs/record.md says what the model knows and what it does not.\n\n"
      "Exit status: 0; 1 if a row could not be modelled, while the others are printed; and 2 for "
      "an unusable record, configuration or option.\n\n"
      "Examples:\n"
      "  sluice whatif /var/lib/sluice --set window.law=knee,adaptive\n"
      "  sluice whatif /var/lib/sluice --cpus 4,8 --memory 16GiB,32GiB --from 24h\n"
      "  sluice whatif /var/lib/sluice --config new.yaml --json | jq .model.error\n");
}

}  // namespace sluice::cli
