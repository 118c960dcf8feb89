// `sluice-autoscale`, which `sluice autoscale` becomes: alone with libcurl, so that neither the
// command nor the daemon brings it.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "autoscale/http_fetch.h"
#include "cli/autoscale/options.h"
#include "cli/autoscale/run.h"
#include "cli/command_line/call.h"
#include "cli/command_line/completion.h"

int main(int argc, char** argv) {
  using namespace sluice::cli;
  if (!prepare_standard_streams()) return 2;
  CLI::App app;
  AutoscaleArguments arguments;
  describe_autoscale(app, arguments);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (asks_for_completion(words)) {
    std::cout << completion_text(complete(app, {words.begin() + 1, words.end()}));
    return 0;
  }
  int exit_status = 0;
  app.callback([&] {
    sluice::start_http();
    exit_status = run_autoscale(arguments);
  });
  return carry_out(app, words, exit_status);
}
