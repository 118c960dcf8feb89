#include "cli/autoscale/options.h"

namespace sluice::cli {
namespace {

void add_size_options(CLI::App& command, AutoscaleArguments& given) {
  const auto add = [&](const char* names, auto& into, const char* help, const char* type) {
    command.add_option(names, into, help)->type_name(type)->group("Size");
  };
  add("-m,--max", given.max, "Never more executors; required here or in the configuration", "N");
  add("-n,--min", given.min, "Never fewer executors; 1, or 0 with -K", "N");
  add("-a,--add", given.add, "At most so many more at once; 1", "N");
  add("-i,--interval", given.interval,
      "Between two looks: 30s, 1min; a bare number is seconds; 60s", "TIME");
  add("-w,--wait", given.wait,
      "starcluster: add only when a job has waited longer; a bare number is seconds; 900s", "TIME");
  add("-k,--kill-after", given.kill_after,
      "Remove only what is idle so far into a billing period; a bare number is minutes; 45min",
      "TIME");
  add("--billing", given.billing,
      "The period that a started executor is paid for; a bare number is minutes; 60min, 0: by the "
      "second",
      "TIME");
  add("-s,--stabilise", given.stabilise,
      "No change so long after a change; a bare number is seconds; 180s", "TIME");
  add("-l,--lookback", given.lookback, "How far back averages go; a bare number is minutes; 3h",
      "TIME");
  command
      .add_option("--rules", given.rules,
                  "window: divide the demand by what a window holds; starcluster: count slots and "
                  "waiting time. Here a slot is a point; window")
      ->check(CLI::IsMember({"window", "starcluster"}))
      ->group("Size");
  add("--master", given.master, "The executor that is never removed, but for -K", "NAME");
  command
      .add_flag("-K,--kill-master", given.kill_master,
                "Remove the master as well, once it is the last one and nothing is left to do")
      ->group("Size");
  add("--config", given.config, "A sluice.yaml: its section `autoscale` says what is not said here",
      "FILE");
}

void add_place_options(CLI::App& command, AutoscaleArguments& given) {
  const char* const group = "Executors (one of the first five) and their queue";
  const auto add = [&](const char* names, auto& into, const char* help, const char* type) {
    command.add_option(names, into, help)->type_name(type)->group(group);
  };
  add("-e,--executor", given.executors, "HOST:PORT or the path of a socket; again for each",
      "[NAME=]ADDRESS");
  add("--dns", given.dns, "All addresses of a name, as a headless service has them", "NAME:PORT");
  add("--list-command", given.list_command, "Prints \"NAME ADDRESS\" for each, a line each", "CMD");
  add("--prometheus", given.prometheus, "Ask a Prometheus server that scrapes them", "URL");
  add("--pods", given.pods_port, "The pods of --workload, at this port", "PORT");
  command
      .add_option("--selector", given.selector,
                  "Labels of their series in Prometheus; job=\"sluice\"")
      ->type_name("LABELS")
      ->group(group);
  add("--gearman", given.gearman, "Jobs that wait there wait for all of them", "HOST:PORT");
  command.add_option("--functions", given.functions, "Of these functions alone; all")
      ->delimiter(',')
      ->type_name("A,B")
      ->group(group);
  command
      .add_option("--job-cost", given.job_cost,
                  "Points of a job there while no executor runs any; 5")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->group(group);
  add("--timeout", given.timeout, "How long one may take to answer; 5s", "TIME");
  add("--token-file", given.token_file,
      "The executors' service.token_file, to drain and resume over TCP", "FILE");
}

void add_scaler_options(CLI::App& command, AutoscaleArguments& given) {
  const auto add = [&](const char* names, auto& into, const char* help, const char* type) {
    command.add_option(names, into, help)->type_name(type)->group("What acts");
  };
  command
      .add_option("--scaler", given.scaler,
                  "exec: commands; kubernetes: the scale of a workload; none: only say and export "
                  "it, for an HPA or KEDA; none")
      ->check(CLI::IsMember({"exec", "kubernetes", "none"}))
      ->group("What acts");
  add("--add-command", given.add_command, "exec: makes the executor {name}", "CMD");
  add("--remove-command", given.remove_command, "exec: ends the executor {name}, which is drained",
      "CMD");
  add("--scaler-timeout", given.scaler_timeout,
      "A command, or a request, that takes longer has failed; 2min", "TIME");
  add("--boot", given.boot, "A new executor that is not seen for so long does not come; 10min",
      "TIME");
  add("--workload", given.workload, "kubernetes: deployment/NAME or statefulset/NAME", "KIND/NAME");
  add("--namespace", given.space, "Of the workload; default: this pod's", "NAME");
  add("--kubernetes-api", given.api, "The API server; default: as a pod is told", "URL");
  add("--service-account", given.account, "Folder with token, ca.crt and namespace", "DIR");
}

void add_telling_options(CLI::App& command, AutoscaleArguments& given) {
  const char* const group = "What is told and kept";
  command.add_flag("-d,--csv", given.csv, "Write a line of statistics in each round")->group(group);
  command.add_option("-D,--csv-file", given.csv_file, "Where; default: stats.csv beside the state")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("-p,--plot", given.plot, "Draw six pictures of them; needs gnuplot")
      ->group(group);
  command.add_option("-P,--plot-dir", given.plot_folder, "Where; default: beside the state")
      ->type_name("DIR")
      ->group(group);
  command.add_option("--plot-as", given.plot_as, "png or svg; png")
      ->check(CLI::IsMember({"png", "svg"}))
      ->group(group);
  command
      .add_option("--state", given.state,
                  "What must outlive this process; default: autoscale/state.json where the "
                  "configuration or your account keeps state")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--metrics", given.metrics,
                  "Where /metrics is served, but with --once; or off; 127.0.0.1:9798")
      ->type_name("HOST:PORT")
      ->group(group);
  command.add_flag("--json", given.json, "One JSON object for each round")->group(group);
  command.add_flag("--once", given.once, "Look, decide and act once; then end")->group(group);
}

}  // namespace

void add_autoscale_options(CLI::App& command, AutoscaleArguments& arguments) {
  add_size_options(command, arguments);
  add_place_options(command, arguments);
  add_scaler_options(command, arguments);
  add_telling_options(command, arguments);
}

}  // namespace sluice::cli
