#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "command_runner.h"
#include "fixture.h"

namespace sluice::testing {

/// A real `sluice serve` that can be killed and stopped.
class ServingProcess {
 public:
  /// `home`: an existing folder, for its socket, state and output.
  ServingProcess(const std::string& home, const std::string& yaml);

  const std::string& socket() const { return socket_; }
  pid_t pid() const { return daemon_->pid(); }
  void kill(int number) const;
  /// Kills it with SIGKILL and waits for its end.
  void destroy();
  /// Starts it again on the same state.
  void start();
  /// Ends it in order and starts it again.
  void restart();

  /// The states of the jobs that have not ended.
  std::vector<std::string> states() const;
  std::size_t count(const std::string& state) const;

 private:
  std::string home_, socket_;
  std::unique_ptr<CommandRunner> daemon_;
};

/// A window without sensors in which two jobs run at once, whatever they cost.
extern const char* const kTwoAtOnce;

/// A folder with sources and stand-ins of compilers that log when they begin and end.
class RealBuild {
 public:
  explicit RealBuild(std::string folder);

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// Makes `name` in bin/: it logs, runs `before` and becomes the real compiler.
  void add_compiler(const std::string& name, const std::string& real,
                    const std::string& before = "");
  /// Writes that many sources with a main among them, a Makefile and a CMakeLists.txt.
  void add_sources(const std::vector<std::string>& names);
  /// The most compilers at the same time, and how many there were.
  struct Use {
    int most = 0, all = 0;
  };
  Use use() const;

 private:
  std::string folder_;
};

}  // namespace sluice::testing
