#pragma once

#include <memory>
#include <string>

#include "command_runner.h"
#include "fixture.h"

namespace sluice::testing {

/// A TCP port of the loopback interface on which nothing listens at the moment.
std::string free_port();

/// A server's reply to one line of its text protocol, up to the line with a dot.
std::string ask_gearmand(const std::string& port, const std::string& line);

/// A real gearmand. Its queue is in a file, which survives `stop` and `start`.
class Gearmand {
 public:
  /// The missing program; empty if gearmand and the gearman command are installed.
  static std::string missing();

  Gearmand();

  void start();
  void kill();
  void stop();

  /// Jobs of a function: total, running, and the workers that offer it; all 0 if it is unknown.
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

/// `sluice serve` as a process of its own, with a constant window.
class GearmanExecutor {
 public:
  /// `sources` is the YAML under `work_sources`, `window` is in points, `service` is more YAML
  /// under `service`.
  GearmanExecutor(const std::string& sources, int window, const std::string& service = "");

  /// A work source for this server, whose `work` jobs run this shell script.
  static std::string worker(const Gearmand& server, const std::string& script,
                            const std::string& more = "");

  pid_t pid() const { return process_->pid(); }
  void kill();
  void drain();
  void tell(int signal) const;
  /// Waits for its end. Returns how it ended.
  int wait() { return process_->wait(); }
  /// One request. Returns the reply, or status 0 and the problem.
  ClientReply ask(const std::string& method, const std::string& target) const;
  /// Points in use; -1 if it does not reply.
  std::int64_t usage() const;
  std::string log() const { return process_->err(); }

  TemporaryFolder folder;

 private:
  std::unique_ptr<CommandRunner> process_;
};

/// One run of the `gearman` command as a client that waits for the result.
class Submission {
 public:
  Submission(const Gearmand& server, const std::string& function, const std::string& payload,
             const std::string& options = "");

  /// Waits for its end. Returns its exit status.
  int wait() { return process_->wait(); }
  std::string out() const { return process_->out(); }
  std::string err() const { return process_->err(); }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<CommandRunner> process_;
};

/// The number of lines in a file; 0 if there is no file.
int lines_in(const std::string& path);

}  // namespace sluice::testing
