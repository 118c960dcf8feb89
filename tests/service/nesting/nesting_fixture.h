#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "command_runner.h"
#include "contents.h"
#include "fixture.h"

namespace sluice::testing {

/// The maximum at once, from the marks of starts and ends.
inline int most_at_once(const std::string& log) {
  int now = 0, most = 0;
  for (const char mark : contents_of(log)) {
    if (mark == '+') most = std::max(most, ++now);
    if (mark == '-') --now;
  }
  return most;
}

/// Real commands against a daemon whose window the outer commands fill.
class Nesting : public ::testing::Test {
 protected:
  using Commands = std::vector<std::string>;

  /// As words of a shell command.
  std::string run(int cost, const std::string& command) const {
    return std::string(SLUICE_COMMAND) + " run --socket " + daemon.socket() + " --cost " +
           std::to_string(cost) + " -- " + command;
  }
  std::unique_ptr<CommandRunner> start(const std::string& script) {
    folders.push_back(std::make_unique<TemporaryFolder>());
    return std::make_unique<CommandRunner>(Commands{"/bin/sh", "-c", script},
                                           folders.back()->path(""));
  }
  /// Its output; status and errors if it failed.
  std::string end_of(CommandRunner& command) {
    const int status = command.wait();
    return status == 0 ? command.out() : std::to_string(status) + ": " + command.err();
  }
  std::string outcome(const std::string& script) { return end_of(*start(script)); }
  /// Writes a makefile or a script.
  std::string file(const std::string& text) {
    const std::string path = folder.path("file");
    write_file(path, text);
    return path;
  }
  void expect_nothing_is_left() {
    EXPECT_TRUE(eventually([&] {
      const std::string status = daemon.ask("GET", "/v1/status").body;
      return status.find("\"usage\":0") != std::string::npos;
    }));
  }

  RunningDaemon daemon{kSmallWindow};
  TemporaryFolder folder;
  std::vector<std::unique_ptr<TemporaryFolder>> folders;
};

}  // namespace sluice::testing
