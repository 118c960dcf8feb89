#include "cli/command_line/call.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <utility>

#include "base/errno_text.h"
#include "cli/command_line/words.h"
#include "cli/settings/config_from.h"

namespace sluice::cli {

namespace {

constexpr const char* kStreams[] = {"input", "output", "error"};

std::string failure_text(const CLI::App* app, const CLI::Error& error) {
  const auto chosen = app->get_subcommands();
  const bool runs = !chosen.empty() && chosen.front()->get_name() == "run";
  const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  return app->get_name() + ": " + error.what() +
         (extras && runs ? " (put -- before the command)\n" : " (see --help)\n");
}

}  // namespace

bool prepare_standard_streams() {
  // A file or socket of ours would take the number of a missing stream.
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || open("/dev/null", O_RDWR) == stream) continue;
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
    std::cerr << problem << "\n";
    return 2;
  }
  app.failure_message(failure_text);
  try {
    // CLI11 expects the words in reverse order.
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Unusable&) {
    return 2;
  } catch (const std::exception& error) {
    std::cerr << app.get_name() << ": " << error.what() << "\n";
    return 2;
  }
  std::cout.flush();
  if (!std::cout && exit_status == 0) {
    std::cerr << app.get_name() << ": cannot write to standard output\n";
    return 2;
  }
  return exit_status;
}

}  // namespace sluice::cli
