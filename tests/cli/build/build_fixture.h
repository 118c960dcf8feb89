#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/socket_places.h"
#include "client/client.h"
#include "contents.h"
#include "fixture.h"
#include "shell.h"

namespace sluice::testing {

/// `sluice build` with a home, a runtime folder and a folder to build in of its own. Ends the
/// daemon that was started.
class BuildFixture : public ::testing::Test {
 protected:
  BuildFixture() {
    for (const char* name : {"SLUICE_SOCKET", "SLUICE_PERMIT", "SLUICE_PERMIT_SOCKET", "MAKEFLAGS",
                             "SLUICE_JOBSERVER", "XDG_STATE_HOME", "CMAKE_BUILD_PARALLEL_LEVEL"}) {
      unsetenv(name);
    }
    for (const char* name : {"run", "home", "work"}) {
      EXPECT_EQ(answer_of("mkdir -m 700 " + folder.path(name)).status, 0);
    }
    setenv("XDG_RUNTIME_DIR", folder.path("run").c_str(), 1);
    setenv("HOME", folder.path("home").c_str(), 1);
  }

  ~BuildFixture() override {
    if (const pid_t daemon = daemon_at(socket()); daemon > 0) {
      kill(daemon, SIGTERM);
      eventually([&] { return daemon_at(socket()) <= 0; });
    }
    unsetenv("XDG_RUNTIME_DIR");
  }

  std::string own(const std::string& name) const { return folder.path("run/sluice/" + name); }
  std::string socket() const { return own("sluice.sock"); }
  std::string log() const { return contents_of(own("daemon.log")); }
  std::string work(const std::string& name) const { return folder.path("work/" + name); }

  /// one.yaml in the folder to build in: one compiler at a time, whatever the machine does. `more`:
  /// further lines.
  void write_one_at_a_time(const std::string& more = "") const {
    write_file(work("one.yaml"),
               "window: {law: adaptive, initial: 1000, minimum: 1000, maximum: 1000}\n"
               "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off,\n"
               "          io_pressure: off, cgroup: off, disk: off, pids: off, starting: off}\n"
               "resources: {compilers: {total: 1}}\n"
               "queues: {default: {resources: [compilers]}}\n" +
                   more);
  }

  /// `sluice build WORDS` in the folder to build in.
  Answer build(const std::string& words) const {
    return answer_of("cd " + work("") + " && timeout 60 " SLUICE_COMMAND " build " + words);
  }

  /// The process that serves a socket; 0 if there is none.
  static pid_t daemon_at(const std::string& socket) {
    auto client = Client::connect(socket);
    if (!std::holds_alternative<Client>(client)) return 0;
    const auto peer = credentials_of_peer(std::get<Client>(client).descriptor());
    return peer ? peer->pid : 0;
  }

  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
      ++times;
    }
    return times;
  }

  TemporaryFolder folder;
};

}  // namespace sluice::testing
