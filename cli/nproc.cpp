#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/fit_now.h"
#include "process/command_process.h"

namespace sluice::cli {
namespace {

enum class FitForm { number, sentence, json };

int print_fit(const FitQuestion& question, FitForm print) {
  const FitAnswer answer = fit_now(question, "sluice nproc");
  if (print == FitForm::sentence) std::cerr << "sluice nproc: " << answer.sentence() << "\n";
  restore_sigpipe();
  std::cout << (print == FitForm::json ? answer.json() : std::to_string(answer.jobs)) << "\n";
  return 0;
}

}  // namespace

void add_nproc(CLI::App& app, int& exit_status) {
  auto question = std::make_shared<FitQuestion>();
  auto print = std::make_shared<FitForm>(FitForm::number);
  CLI::App* command = app.add_subcommand("nproc", "Print how many jobs of a kind fit now");
  add_socket(*command, question->socket);
  add_kind(*command, *question);
  add_value(*command, "--state-dir", question->state_dir, "FOLDER",
            "Where the history is, without a daemon; default: $XDG_STATE_HOME/sluice");
  add_choice(*command, "-v,--verbose", *print, FitForm::sentence,
             "Say on standard error what limits the number");
  add_choice(*command, "--json", *print, FitForm::json, "Print one JSON object");
  command->callback([=, &exit_status] { exit_status = print_fit(*question, *print); });
  command->footer(
      "Prints how many such jobs fit in addition to those that run, given the CPUs, the memory, "
      "the window and what earlier runs needed; at least 1. Use it for tools that take a fixed "
      "number; tools that take tokens do better under `sluice build`. Asks the daemon; if none "
      "runs, it does not start one, but reads the sensors and the history itself.\n\n"
      "Examples:\n"
      "  jest --maxWorkers=$(sluice nproc --key jest)\n"
      "  dpkg-buildpackage -j$(sluice nproc --program cc1plus)\n"
      "  sluice nproc --program rustc --max 8 -v\n");
}

}  // namespace sluice::cli
