#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/process_table.h"
#include "process/runner.h"

namespace sluice::testing {

/// The means of holding jobs, for tests that apply to each of them.
inline auto ways_to_hold() {
  return ::testing::Values(Runner::Groups::off, Runner::Groups::v1, Runner::Groups::v2);
}

inline std::string name_of_way(const ::testing::TestParamInfo<Runner::Groups>& way) {
  if (way.param == Runner::Groups::off) return "ByProcessGroup";
  return way.param == Runner::Groups::v1 ? "ByV1" : "ByV2";
}

inline Command shell(const std::string& script) {
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  return command;
}

inline pid_t started(Runner& runner, const Command& command) {
  const auto result = runner.start(command);
  return std::holds_alternative<pid_t>(result) ? std::get<pid_t>(result) : -1;
}

/// Polls the condition every 2 ms. Returns false if it does not hold within this time.
inline bool comes_true(const std::function<bool()>& condition,
                       std::chrono::seconds within = std::chrono::seconds(20)) {
  const TimePoint deadline = Clock::now() + within;
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    poll(nullptr, 0, 2);
  }
  return true;
}

/// The end of the job; nullopt if it does not come in time.
inline std::optional<RunEnd> end_of(Runner& runner, pid_t job) {
  std::optional<RunEnd> end;
  comes_true([&] {
    for (RunEnd& each : runner.reap()) {
      if (each.job == job) end = std::move(each);
    }
    return end.has_value();
  });
  return end;
}

/// A pipe for signs of life from a job: what it writes, and that all its holders have ended.
class Lifeline {
 public:
  Lifeline() {
    if (pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  ~Lifeline() {
    close(ends_[0]);
    let_go();
  }
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }

  /// Closes this process's write end.
  void let_go() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

  /// One line that arrives within the deadline.
  std::string line() {
    std::string text;
    char letter = 0;
    while (is_readable() && read(ends_[0], &letter, 1) == 1 && letter != '\n') text += letter;
    return text;
  }

  /// Whether all holders end within the deadline.
  bool ends() {
    char letter = 0;
    while (is_readable()) {
      if (read(ends_[0], &letter, 1) == 0) return true;
    }
    return false;
  }

 private:
  bool is_readable() const {
    pollfd descriptor{ends_[0], POLLIN, 0};
    return poll(&descriptor, 1, 20000) == 1;
  }

  int ends_[2] = {-1, -1};
};

}  // namespace sluice::testing
