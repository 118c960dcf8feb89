#include "cli/autoscale/options.h"

#include <CLI/CLI.hpp>

#include "cli/command_line/help_format.h"
#include "sluice/version.h"

namespace sluice::cli {
namespace {

void add_size_options(CLI::App& command, AutoscaleArguments& given) {
  command.option_defaults()->group("Size");
  const auto add = [&](const char* names, auto& into, const char* help, const char* type) {
    command.add_option(names, into, help)->type_name(type);
  };
  add("-m,--max", given.max, "Maximum number of executors; required here or in the configuration",
      "N");
  add("-n,--min", given.min, "Minimum number of executors; default: 1, or 0 with -K", "N");
  add("-a,--add", given.add, "Maximum number to add at once; default: 1", "N");
  add("-i,--interval", given.interval,
      "Time between two rounds: 30s, 1min; a bare number is seconds; default: 60s", "TIME");
  add("-w,--wait", given.wait,
      "starcluster: add only if a job has waited longer; a bare number is seconds; default: 900s",
      "TIME");
  add("-k,--kill-after", given.kill_after,
      "Remove an idle executor only this far into its billing period; a bare number is minutes; "
      "default: 45min",
      "TIME");
  add("--billing", given.billing,
      "The period for which a started executor is paid; a bare number is minutes; 0: by the "
      "second; default: 60min",
      "TIME");
  add("-s,--stabilise", given.stabilise,
      "Change nothing for this long after a change; a bare number is seconds; default: 180s",
      "TIME");
  add("-l,--lookback", given.lookback,
      "How far back averages reach; a bare number is minutes; default: 3h", "TIME");
  command
      .add_option("--rules", given.rules,
                  "window: divide the demand by what a window holds; starcluster: count slots and "
                  "waiting time, where a slot is a point; default: window")
      ->check(CLI::IsMember({"window", "starcluster"}));
  add("--master", given.master, "The executor that is never removed, except with -K", "NAME");
  command.add_flag("-K,--kill-master", given.kill_master,
                   "Remove the master too, once it is the last executor and no work is left");
  add("--config", given.config, "A sluice.yaml whose section `autoscale` sets what is not set here",
      "FILE");
}

void add_place_options(CLI::App& command, AutoscaleArguments& given) {
  command.option_defaults()->group("Executors (one of the first five options) and their queue");
  const auto add = [&](const char* names, auto& into, const char* help, const char* type) {
    command.add_option(names, into, help)->type_name(type);
  };
  add("-e,--executor", given.executors,
      "HOST:PORT or the path of a socket; repeat it for each executor", "[NAME=]ADDRESS");
  add("--dns", given.dns, "All addresses of a name, such as a headless service", "NAME:PORT");
  add("--list-command", given.list_command,
      "A command that prints a line \"NAME ADDRESS\" for each executor", "CMD");
  add("--prometheus", given.prometheus, "A Prometheus server that scrapes the executors", "URL");
  add("--pods", given.pods_port, "The pods of --workload, at this port", "PORT");
  command
      .add_option("--selector", given.selector,
                  "Labels of the executors' series in Prometheus; default: job=\"sluice\"")
      ->type_name("LABELS");
  add("--gearman", given.gearman, "A gearmand whose queue all executors share", "HOST:PORT");
  command
      .add_option("--functions", given.functions,
                  "Count only jobs of these gearmand functions; default: all")
      ->delimiter(',')
      ->type_name("A,B");
  command
      .add_option("--job-cost", given.job_cost,
                  "Points of a queued gearmand job while no executor runs any job; default: 5")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  add("--timeout", given.timeout, "How long an executor may take to answer; default: 5s", "TIME");
  add("--token-file", given.token_file,
      "The executors' service.token_file, to drain and resume them over TCP", "FILE");
}

void add_scaler_options(CLI::App& command, AutoscaleArguments& given) {
  command.option_defaults()->group("Scaler");
  const auto add = [&](const char* names, auto& into, const char* help, const char* type) {
    command.add_option(names, into, help)->type_name(type);
  };
  command
      .add_option(
          "--scaler", given.scaler,
          "exec: run commands; kubernetes: scale a workload; none: only print and export the "
          "decision, for an HPA or KEDA; default: none")
      ->check(CLI::IsMember({"exec", "kubernetes", "none"}));
  add("--add-command", given.add_command, "exec: starts the executor {name}", "CMD");
  add("--remove-command", given.remove_command,
      "exec: removes the executor {name}, which is drained", "CMD");
  add("--scaler-timeout", given.scaler_timeout,
      "How long a command or a request may take; default: 2min", "TIME");
  add("--boot", given.boot,
      "How long a new executor may take to appear; then it has failed (a pod is a failure, too, "
      "but still counts as an executor: Kubernetes keeps trying); default: 10min",
      "TIME");
  add("--workload", given.workload, "kubernetes: deployment/NAME or statefulset/NAME", "KIND/NAME");
  add("--namespace", given.space, "Namespace of the workload; default: this pod's", "NAME");
  add("--kubernetes-api", given.api, "The API server; default: in-cluster configuration", "URL");
  add("--service-account", given.account, "Folder with token, ca.crt and namespace", "DIR");
}

void add_output_options(CLI::App& command, AutoscaleArguments& given) {
  command.option_defaults()->group("Output and state");
  command.add_flag("-d,--csv", given.csv, "Write a line of statistics each round");
  command
      .add_option("-D,--csv-file", given.csv_file,
                  "File of the statistics; default: stats.csv beside the state")
      ->type_name("FILE");
  command.add_flag("-p,--plot", given.plot, "Draw six plots of the statistics; needs gnuplot");
  command
      .add_option("-P,--plot-dir", given.plot_folder,
                  "Folder of the plots; default: that of the state")
      ->type_name("DIR");
  command.add_option("--plot-as", given.plot_as, "png or svg; default: png")
      ->check(CLI::IsMember({"png", "svg"}));
  command
      .add_option("--state", given.state,
                  "Where to keep the state that must survive a restart; default: "
                  "autoscale/state.json in the state folder of "
                  "the configuration or of your account")
      ->type_name("FILE");
  command
      .add_option("--metrics", given.metrics,
                  "Where /metrics is served, except with --once; or off; default: 127.0.0.1:9798")
      ->type_name("HOST:PORT");
  command.add_flag("--json", given.json, "Print one JSON object each round");
  command.add_flag("--once", given.once, "Run one round, then exit");
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
      "Each round prints what was observed, what was decided and why. Idle executors are drained\n"
      "first, and removed in the next round if they are still idle. While any executor is not\n"
      "seen, nothing is removed; while the fleet is not seen, nothing is done. SIGTERM and SIGINT\n"
      "end it between two rounds; when it is started again, it continues where it was.\n\n"
      "Exit status: 0, 2 for a wrong call, and with --once 1 if the fleet was not seen or the\n"
      "scaler failed.\n\n"
      "Examples:\n"
      "  sluice autoscale -m 20 -e node001:9797 -e node002:9797      only say what it would do\n"
      "  sluice autoscale -m 20 -n 2 -a 2 --list-command 'fleet list' --token-file token \\\n"
      "      --scaler exec --add-command 'fleet add {name}' --remove-command 'fleet remove "
      "{name}'\n"
      "  sluice autoscale -m 20 --scaler kubernetes --workload deployment/executor\n"
      "  sluice autoscale -m 20 --prometheus http://prometheus:9090 --metrics 0.0.0.0:9798\n"
      "  sluice autoscale -m 20 --rules starcluster -i 60 -w 900 -k 45 -s 180 -d -p \\\n"
      "      -e node001:9797 --gearman queue:4730\n");
}

}  // namespace sluice::cli
