// `sluice-autoscale`, which `sluice autoscale` becomes: alone with libcurl, so that neither the
// command nor the daemon brings it.
#include <CLI/CLI.hpp>
#include <string>

#include "autoscale/http_fetch.h"
#include "cli/autoscale/options.h"
#include "cli/autoscale/run.h"
#include "cli/command_line/call.h"
#include "sluice/version.h"

int main(int argc, char** argv) {
  using namespace sluice::cli;
  prepare_standard_streams();
  CLI::App app("Keep as many executors as their jobs need, on many hosts", "sluice autoscale");
  // Not in the help, which is that of a subcommand.
  app.set_version_flag("-V,--version", std::string("sluice ") + sluice::kVersion)->group("");
  AutoscaleArguments arguments;
  add_autoscale_options(app, arguments);
  int exit_status = 0;
  app.callback([&] {
    sluice::start_http();
    exit_status = run_autoscale(arguments);
  });
  app.footer(
      "Each round prints what was observed, what was decided and why. Idle executors are drained\n"
      "first, and removed in the next round if they are still idle. While any executor is not\n"
      "seen, nothing is removed; while the fleet is not seen, nothing is done. SIGTERM and SIGINT\n"
      "end it between two rounds; when it is started again, it continues where it was. The exit\n"
      "status is 0, 2 for a wrong call, and with --once 1 if the fleet was not seen or the scaler\n"
      "failed.\n\n"
      "Examples:\n"
      "  sluice autoscale -m 20 -e node001:9797 -e node002:9797      only say what it would do\n"
      "  sluice autoscale -m 20 -n 2 -a 2 --list-command 'fleet list' --token-file token \\\n"
      "      --scaler exec --add-command 'fleet add {name}' --remove-command 'fleet remove "
      "{name}'\n"
      "  sluice autoscale -m 20 --scaler kubernetes --workload deployment/executor\n"
      "  sluice autoscale -m 20 --prometheus http://prometheus:9090 --metrics 0.0.0.0:9798\n"
      "  sluice autoscale -m 20 --rules starcluster -i 60 -w 900 -k 45 -s 180 -d -p \\\n"
      "      -e node001:9797 --gearman queue:4730\n");
  return carry_out(app, {argv + 1, argv + argc}, exit_status);
}
