#include "cli/autoscale/options.h"

#include <CLI/CLI.hpp>

#include "cli/command_line/add_value.h"
#include "cli/command_line/help_format.h"
#include "sluice/version.h"

namespace sluice::cli {
namespace {

void add_size_options(CLI::App& command, AutoscaleArguments& given) {
  command.option_defaults()->group("Size");
  add_value(command, "-m,--max", given.max, "N",
            "Maximum number of executors; required here or in the configuration");
  add_value(command, "-n,--min", given.min, "N",
            "Minimum number of executors; default: 1, or 0 with -K");
  add_value(command, "-a,--add", given.add, "N", "Maximum number to add at once; default: 1");
  add_value(command, "-i,--interval", given.interval, "TIME",
            "Time between two reconciliations: 30s, 1min; a bare number is seconds; default: 60s");
  add_value(
      command, "-w,--wait", given.wait, "TIME",
      "starcluster: add only if a job has waited longer; a bare number is seconds; default: 900s");
  add_value(
      command, "-k,--kill-after", given.kill_after, "TIME",
      "Remove an idle executor only this far into its billing period; a bare number is minutes; "
      "default: 45min");
  add_value(command, "--billing", given.billing, "TIME",
            "The period for which a started executor is paid; a bare number is minutes; 0: by the "
            "second; default: 60min");
  add_value(command, "-s,--stabilise", given.stabilise, "TIME",
            "Change nothing for this long after a change; a bare number is seconds; default: 180s");
  add_value(command, "-l,--lookback", given.lookback, "TIME",
            "How far back averages reach; a bare number is minutes; default: 3h");
  command
      .add_option("--rules", given.rules,
                  "window: divide the demand by what a window holds; starcluster: count slots and "
                  "waiting time, where a slot is a point; default: window")
      ->check(CLI::IsMember({"window", "starcluster"}));
  add_value(command, "--master", given.master, "NAME",
            "The executor that is never removed, except with -K");
  command.add_flag("-K,--kill-master", given.kill_master,
                   "Remove the master too, once it is the last executor and no work is left");
  add_value(command, "--config", given.config, "FILE",
            "A sluice.yaml whose section `autoscale` sets what is not set here");
}

void add_place_options(CLI::App& command, AutoscaleArguments& given) {
  command.option_defaults()->group("Executors (one of the first five options) and their queue");
  add_value(command, "-e,--executor", given.executors, "[NAME=]ADDRESS",
            "HOST:PORT or the path of a socket; repeat it for each executor");
  add_value(command, "--dns", given.dns, "NAME:PORT",
            "All addresses of a name, such as a headless service");
  add_value(command, "--list-command", given.list_command, "CMD",
            "A command that prints a line \"NAME ADDRESS\" for each executor");
  add_value(command, "--prometheus", given.prometheus, "URL",
            "A Prometheus server that scrapes the executors");
  add_value(command, "--pods", given.pods_port, "PORT", "The pods of --workload, at this port");
  add_value_or_empty(command, "--selector", given.selector, "LABELS",
                     "Labels of the executors' series in Prometheus; empty: any; default: "
                     "job=\"sluice\"");
  add_value(command, "--gearman", given.gearman, "HOST:PORT",
            "A gearmand whose queue all executors share");
  add_value(command, "--functions", given.functions, "A,B",
            "Count only jobs of these gearmand functions; default: all")
      ->delimiter(',');
  add_value(command, "--job-cost", given.job_cost, "N",
            "Points of a queued gearmand job while no executor runs any job; default: 5")
      ->check(CLI::Range(1, 1'000'000));
  add_value(command, "--timeout", given.timeout, "TIME",
            "How long an executor may take to answer; default: 5s");
  add_value(command, "--token-file", given.token_file, "FILE",
            "The executors' service.token_file, to drain and resume them over TCP");
}

void add_scaler_options(CLI::App& command, AutoscaleArguments& given) {
  command.option_defaults()->group("Scaler");
  command
      .add_option(
          "--scaler", given.scaler,
          "exec: run commands; kubernetes: scale a workload; none: only print and export the "
          "decision, for an HPA or KEDA; default: none")
      ->check(CLI::IsMember({"exec", "kubernetes", "none"}));
  add_value(command, "--add-command", given.add_command, "CMD", "exec: starts the executor {name}");
  add_value(command, "--remove-command", given.remove_command, "CMD",
            "exec: removes the executor {name}, which is drained");
  add_value(command, "--scaler-timeout", given.scaler_timeout, "TIME",
            "How long a command or a request may take; default: 2min");
  add_value(
      command, "--boot", given.boot, "TIME",
      "How long a new executor may take to appear; then it has failed (a pod is a failure, too, "
      "but still counts as an executor: Kubernetes keeps trying); default: 10min");
  add_value(command, "--workload", given.workload, "KIND/NAME",
            "kubernetes: deployment/NAME or statefulset/NAME");
  add_value(command, "--namespace", given.space, "NAME",
            "Namespace of the workload; default: this pod's");
  add_value(command, "--kubernetes-api", given.api, "URL",
            "The API server; default: in-cluster configuration");
  add_value(command, "--service-account", given.account, "DIR",
            "Folder with token, ca.crt and namespace");
}

void add_output_options(CLI::App& command, AutoscaleArguments& given) {
  command.option_defaults()->group("Output and state");
  command.add_flag("-d,--csv", given.csv, "Write a line of statistics for each reconciliation");
  add_value(command, "-D,--csv-file", given.csv_file, "FILE",
            "File of the statistics; default: stats.csv beside the state");
  command.add_flag("-p,--plot", given.plot, "Draw six plots of the statistics; needs gnuplot");
  add_value(command, "-P,--plot-dir", given.plot_folder, "DIR",
            "Folder of the plots; default: that of the state");
  command.add_option("--plot-as", given.plot_as, "png or svg; default: png")
      ->check(CLI::IsMember({"png", "svg"}));
  add_value(command, "--state", given.state, "FILE",
            "Where to keep the state that must survive a restart; default: "
            "autoscale/state.json in the state folder of "
            "the configuration or of your account");
  add_value(command, "--metrics", given.metrics, "HOST:PORT",
            "Where /metrics is served, except with --once; or off; default: 127.0.0.1:9798");
  command.add_flag("--json", given.json, "Print one JSON object for each reconciliation");
  command.add_flag("--once", given.once, "Reconcile once, then exit");
}

void add_autoscale_options(CLI::App& command, AutoscaleArguments& arguments) {
  add_size_options(command, arguments);
  add_place_options(command, arguments);
  add_scaler_options(command, arguments);
  add_output_options(command, arguments);
  command.option_defaults()->group("Options");
}

}  // namespace

void describe_autoscale(CLI::App& command, AutoscaleArguments& arguments) {
  command.formatter(std::make_shared<HelpFormat>());
  command.name("sluice autoscale");
  command.description("Keep as many executors as their jobs need, on many hosts");
  // Not in the help, which is that of a subcommand.
  command.set_version_flag("-V,--version", std::string("sluice ") + kVersion)->group("");
  add_autoscale_options(command, arguments);
  command.footer(
      "Each reconciliation prints what was observed, what was decided and why. Idle executors are "
      "drained first, and removed in the next reconciliation if they are still idle. While any "
      "executor is not seen, nothing is removed; while the fleet is not seen, nothing is done. "
      "SIGTERM and SIGINT end it between two reconciliations; when it is started again, it "
      "continues where it was.\n\n"
      "Exit status: 0, 2 for a wrong call, and with --once 1 if the fleet was not seen or the "
      "scaler failed.\n\n"
      "Examples:\n"
      "  sluice autoscale -m 20 -e node001:9797 -e node002:9797   only say what to do\n"
      "  sluice autoscale -m 20 -n 2 -a 2 --list-command 'fleet list' \\\n"
      "      --token-file token --scaler exec --add-command 'fleet add {name}' \\\n"
      "      --remove-command 'fleet remove {name}'\n"
      "  sluice autoscale -m 20 --scaler kubernetes --workload deployment/executor\n"
      "  sluice autoscale -m 20 --prometheus http://prometheus:9090 \\\n"
      "      --metrics 0.0.0.0:9798\n"
      "  sluice autoscale -m 20 --rules starcluster -i 60 -w 900 -k 45 -s 180 -d -p \\\n"
      "      -e node001:9797 --gearman queue:4730\n");
}

}  // namespace sluice::cli
