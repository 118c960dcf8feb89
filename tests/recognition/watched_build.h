#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fixture.h"
#include "real_build.h"
#include "shell.h"

namespace sluice::testing {

/// A stand-in of a compiler. From its start it takes $SEEN_WITHIN seconds until it counts as in use
/// if nothing has stopped it, then it is in use, from "+" to "-" in the file `uses`, for $TAKES
/// seconds. It computes a little all the time, so that it does not look stalled.
extern const std::string kCompiler;

/// A window without sensors in which one job runs at a time, whatever it costs.
extern const char* const kOneAtOnce;

/// A folder to build in, a daemon, and builds that a process of their own watches. The parameter is
/// how it finds processes: "best" or "proc".
class WatchedBuild : public ::testing::TestWithParam<const char*> {
 protected:
  explicit WatchedBuild(const char* yaml = kTwoAtOnce);
  ~WatchedBuild() override;

  void add_program(const std::string& name, const std::string& text) const;
  /// For locks of two kinds, "file" (flock) and "ofd", on the file `lock`. KIND/cc1 creates
  /// `started`, and waits for the lock once it is `taken`. KIND/flock COMMAND takes it, creates
  /// `taken` and executes the command, which then has the lock.
  void add_lock_programs() const;
  /// `count` objects, each by one compile.
  void add_makefile(int count) const;
  /// The command that runs and watches a line of the shell in the folder.
  std::vector<std::string> watched(const std::string& line) const;
  Answer run(const std::string& line) const;
  /// A number of the report at the end; -1 if it is not there.
  static int number(const Answer& answer, const std::string& name);
  /// How often it was said that a held process continues without a permit.
  static int times_said_to_go_on(const Answer& answer);
  bool all_returned() const;
  /// A child of a process; 0 if it has none.
  static pid_t first_child_of(pid_t parent);
  /// Processes of the build that stand still.
  std::size_t stopped() const;

  TemporaryFolder folder;
  RealBuild build;
  std::unique_ptr<ServingProcess> daemon;
};

}  // namespace sluice::testing
