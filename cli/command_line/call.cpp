#include "cli/command_line/call.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <utility>

#include "base/errno_text.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/command_line/option_text.h"
#include "cli/command_line/parse_problem.h"
#include "cli/command_line/words.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {

namespace {

constexpr const char* kStreams[] = {"input", "output", "error"};

/// Each line of `text`, after the name of the command.
int fail(const CLI::App& app, const std::string& text) {
  std::cerr << lines_after(command_name(chosen_command(app)) + ": ", text);
  return 2;
}

std::string problem_of_bytes(const std::string& value) {
  return is_utf8(value) ? "" : "must be UTF-8: " + escaped(value);
}

/// Makes each option of `app` and its subcommands refuse a value that is not UTF-8, unless it
/// `takes_any_bytes`: JSON and the daemon take UTF-8 only.
void require_utf8(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const bool has_value = option->get_items_expected_max() > 0;
    if (has_value && !takes_any_bytes(*option)) option->check(problem_of_bytes);
  }
  for (CLI::App* command : app.get_subcommands({})) require_utf8(*command);
}

}  // namespace

bool prepare_standard_streams() {
  // A file or socket of ours would take the number of a missing stream. A command that this process
  // runs or becomes misses it as without Sluice: it fails instead of writing into nothing.
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || open("/dev/null", O_RDWR | O_CLOEXEC) == stream) continue;
    const int problem = errno;
    std::cerr << "sluice: standard " << kStreams[stream] << " is closed, and "
              << errno_text("/dev/null cannot be opened in its place", problem)
              << "; open all three standard streams, or make /dev/null\n";
    return false;
  }
  // Lines of processes that share standard error do not mix.
  setvbuf(stderr, nullptr, _IOLBF, BUFSIZ);
  std::cerr << std::nounitbuf;
  return true;
}

int carry_out(CLI::App& app, std::vector<std::string> words, const int& exit_status) {
  if (const std::string problem = unknown_word(app, words); !problem.empty()) {
    std::cerr << harmless(problem) << "\n";
    return 2;
  }
  require_utf8(app);
  try {
    // CLI11 expects the words in reverse order.
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      std::cerr << harmless(parse_problem(app, error)) << "\n";
      return 2;
    }
    app.exit(error);  // Prints the help.
  } catch (const std::exception& error) {
    return fail(app, error.what());
  }
  std::cout.flush();
  if (!std::cout && exit_status == 0) {
    return fail(app, "cannot write to standard output");
  }
  return exit_status;
}

}  // namespace sluice::cli
