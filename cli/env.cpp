#include <unistd.h>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/shell_command.h"
#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/fit_now.h"
#include "cli/job_numbers.h"
#include "process/command_process.h"

namespace sluice::cli {
namespace {

struct EnvArguments {
  enum class Output { text, json };

  FitQuestion question;
  bool verbose = false;
  Output output = Output::text;
  std::vector<std::string> command;
};

/// Becomes the command; returns the exit status if that fails.
int become(const std::vector<std::string>& command) {
  execvp(command[0].c_str(), pointers_to(command).data());
  const int error = errno;
  std::cerr << "sluice env: " << command[0] << ": " << std::strerror(error) << "\n";
  return error == ENOENT ? 127 : 126;
}

void print(const std::map<std::string, std::string>& variables, EnvArguments::Output output) {
  restore_sigpipe();
  if (output == EnvArguments::Output::json) {
    std::cout << boost::json::value_from(variables) << "\n";
    return;
  }
  for (const auto& [name, value] : variables) std::cout << name << "=" << value << "\n";
}

int execute_env(const EnvArguments& arguments) {
  const FitAnswer answer = fit_now(arguments.question, "sluice env");
  if (arguments.verbose) std::cerr << "sluice env: " << answer.sentence() << "\n";
  const auto numbers = job_numbers(answer.jobs, [](const char* name) { return std::getenv(name); });
  if (arguments.command.empty()) {
    print(numbers, arguments.output);
    return 0;
  }
  for (const auto& [name, value] : numbers) setenv(name.c_str(), value.c_str(), 1);
  return become(arguments.command);
}

}  // namespace

void add_env(CLI::App& app, int& exit_status) {
  const auto [command, arguments] = add_command(
      app, exit_status, "env",
      "Run a command with the number of jobs that fit now in its environment", execute_env);
  add_socket(command, arguments.question.socket);
  add_kind(command, arguments.question);
  command.add_flag("-v,--verbose", arguments.verbose,
                   "Say on standard error what limits the number");
  CLI::Option* words = command.add_option(
      "command", arguments.command,
      "The command and its arguments, after --; without one, prints the variables");
  add_choice(command, "--json", arguments.output, EnvArguments::Output::json,
             "Print the variables as one JSON object")
      ->excludes(words);
  command.footer(
      "Sets what `sluice nproc` prints in CARGO_BUILD_JOBS, CMAKE_BUILD_PARALLEL_LEVEL, "
      "CTEST_PARALLEL_LEVEL, JOBS, MAX_JOBS, PYTEST_XDIST_AUTO_NUM_WORKERS, GOFLAGS (-p) and "
      "GRADLE_OPTS (org.gradle.workers.max). A number that is already set stays.\n\n"
      "Exit status: the command's. 127 not found, 126 not executable, 2 wrong usage.\n\n"
      "Examples:\n"
      "  sluice env --program cc1plus -- pip install .\n"
      "  sluice env --key unit-test -- pytest -n auto\n"
      "  sluice env --max 8\n"
      "  sluice env --json | jq -r .MAX_JOBS\n");
}

}  // namespace sluice::cli
