#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "command_runner.h"
#include "fixture.h"

namespace sluice::testing {

/// A TCP port of the loopback that nobody listens on at the moment.
std::string free_port();

/// What a server says to one line of its text protocol, up to the line with a dot.
std::string ask_gearmand(const std::string& port, const std::string& line);

/// A real gearmand; its queue is in a file, so that it survives `stop` and `start`.
class Gearmand {
 public:
  /// Where gearmand and the gearman command are; empty: they are not installed.
  static std::string missing();

  Gearmand();

  void start();
  void kill();
  void stop();

  /// Jobs of a function: in all, running, and the workers that offer it; all 0 if it is not known.
  struct Counts {
    int total = 0, running = 0, workers = 0;
    bool operator==(const Counts&) const = default;
  };
  Counts counts(const std::string& function) const;

  const std::string& port() const { return port_; }
  std::string log() const;

 private:
  TemporaryFolder folder_;
  std::string port_;
  std::unique_ptr<CommandRunner> process_;
};

/// `sluice serve` as a process of its own, with a window that stays.
class GearmanExecutor {
 public:
  /// `sources`: what stands under work_sources, as YAML; `window`: points; `service`: more of what
  /// stands under service.
  GearmanExecutor(const std::string& sources, int window, const std::string& service = "");

  /// As a worker of this server: jobs of `work` are run by this shell script.
  static std::string worker(const Gearmand& server, const std::string& script,
                            const std::string& more = "");

  pid_t pid() const { return process_->pid(); }
  void kill();
  void drain();
  void tell(int signal) const;
  /// Waits for its end; how it ended.
  int wait() { return process_->wait(); }
  /// One request; what is answered, or the problem with status 0.
  ClientReply ask(const std::string& method, const std::string& target) const;
  /// Points in use; -1: it does not answer.
  std::int64_t usage() const;
  std::string log() const { return process_->err(); }

  TemporaryFolder folder;

 private:
  std::unique_ptr<CommandRunner> process_;
};

/// One run of the `gearman` command as a submitter that waits for the result.
class Submission {
 public:
  Submission(const Gearmand& server, const std::string& function, const std::string& payload,
             const std::string& options = "");

  /// Its exit status, when it has ended.
  int wait() { return process_->wait(); }
  std::string out() const { return process_->out(); }
  std::string err() const { return process_->err(); }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<CommandRunner> process_;
};

/// How many lines a file has; 0 where there is none.
int lines_in(const std::string& path);

}  // namespace sluice::testing
