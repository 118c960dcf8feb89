#include <unistd.h>

#include <iostream>
#include <memory>

#include "cli/autoscale/options.h"
#include "cli/autoscale/run.h"
#include "cli/commands.h"

namespace sluice::cli {

CLI::App* add_autoscale(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<AutoscaleArguments>();
  CLI::App* command =
      app.add_subcommand("autoscale", "Keep as many executors as their jobs need, on many hosts");
  add_autoscale_options(*command, *arguments);
  command->callback([arguments, &exit_status] { exit_status = run_autoscale(*arguments); });
  command->footer(
      "At each round it prints what was seen, what was decided and why. What is idle is drained\n"
      "first, and removed in the next round if it is idle still. While an executor is not seen\n"
      "nothing is removed; while the fleet is not seen nothing is done. SIGTERM and SIGINT end it\n"
      "between two looks; started again, it goes on where it was. The exit status is 0, 2 for a\n"
      "wrong call, and with --once 1 where the fleet was not seen or the scaler failed.\n\n"
      "Examples:\n"
      "  sluice autoscale -m 20 -e node001:9797 -e node002:9797      only say what it would do\n"
      "  sluice autoscale -m 20 -n 2 -a 2 --list-command 'fleet list' --token-file token \\\n"
      "      --scaler exec --add-command 'fleet add {name}' --remove-command 'fleet remove "
      "{name}'\n"
      "  sluice autoscale -m 20 --scaler kubernetes --workload deployment/executor\n"
      "  sluice autoscale -m 20 --prometheus http://prometheus:9090 --metrics 0.0.0.0:9798\n"
      "  sluice autoscale -m 20 --rules starcluster -i 60 -w 900 -k 45 -s 180 -d -p \\\n"
      "      -e node001:9797 --gearman queue:4730\n");
  return command;
}

}  // namespace sluice::cli
