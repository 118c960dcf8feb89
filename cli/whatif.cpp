#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/record/moment.h"
#include "cli/whatif/run.h"

namespace sluice::cli {

CLI::App* add_whatif(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand(
      "whatif", "Show what other configurations or machines would have done with recorded work");
  auto query = std::make_shared<WhatifQuery>();
  command
      ->add_option("record", query->record,
                   "The folder of a record, or the state_dir of a daemon around it")
      ->required()
      ->type_name("RECORD");
  command->add_option("--config", query->grid.config_files, "A sluice.yaml to try; repeatable")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--set", query->grid.settings,
                   "Values to try for one option of the configuration; repeatable")
      ->type_name("OPTION=VALUE,...")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--cpus", query->grid.cpus, "Numbers of CPUs to try")->type_name("N,...");
  command->add_option("--memory", query->grid.memory, "Sizes of the memory to try")
      ->type_name("SIZE,...");
  command
      ->add_option("--from", query->from,
                   std::string("Run only the work from here on: ") + kMomentForms)
      ->type_name("TIME");
  command->add_option("--to", query->to, "Run only the work up to here, in the same forms")
      ->type_name("TIME");
  command->add_option("--plot", query->plot, "Draw the waits as a picture; needs gnuplot")
      ->type_name("FILE.svg|png");
  command
      ->add_option("-j,--jobs", query->threads,
                   "Run the model this many times at once; default: once for each CPU")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command->add_flag_callback(
      "--json", [query] { query->print = WhatifQuery::Print::json; },
      "Print one JSON object, in seconds");
  command->callback([=, &exit_status] { exit_status = run_whatif(*query); });
  command->footer(
      "Every combination is one run of the model; the running system is never changed. The first\n"
      "rows show what happened and what the model makes of it, so how far to trust the others.\n"
      "docs/record.md says what the model knows and what it does not.\n\n"
      "Examples:\n"
      "  sluice whatif /var/lib/sluice --set window.law=knee,adaptive\n"
      "  sluice whatif /var/lib/sluice --cpus 4,8 --memory 16GiB,32GiB --from 24h\n"
      "  sluice whatif /var/lib/sluice --config new.yaml --json | jq .model.error\n");
  return command;
}

}  // namespace sluice::cli
