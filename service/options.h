#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// The cgroup that the sensors of `sluice serve` judge: the daemon's own, or that of an executor in
/// another container of the same pod.
struct ExecutorOptions {
  enum class Source { own, automatic, attach, procroot, hostpath, downward, config };
  /// Network namespaces from which a cgroup may be attached.
  enum class From { pod, anywhere };

  Source source = Source::own;
  From attach_from = From::pod;
  std::string process;          ///< Name of the executor's process; empty if unknown.
  std::string hierarchy;        ///< Where the host's /sys/fs/cgroup is mounted; empty if it is not.
  std::string podinfo;          ///< Folder of the downward API's files; empty if there is none.
  std::optional<Bytes> memory;  ///< Declared limit; nullopt if unlimited.
  std::optional<double> cpus;   ///< Likewise.
};

/// What `sluice build` is told of the programs of a build.
struct BuildOptions {
  /// What a program is, whatever it is taken for otherwise.
  enum class Program {
    heavy,    ///< Needs a permit from its start.
    unknown,  ///< Needs one once it has run for a moment.
    free      ///< Needs none, and is never held.
  };

  std::map<std::string, Program> programs;  ///< By file name, for scripts that of the script.
  std::vector<std::string> timers;          ///< File names of programs that run tests on a clock.
  /// The longest that a process waits below a timer, >= 0.
  Duration timed_hold = std::chrono::seconds(10);
};

/// The record of decisions, in the state folder.
struct RecordOptions {
  /// Of names that users chose: as they are, or hashed with a secret of the host.
  enum class Names { plain, hashed };

  bool enabled = true;
  Bytes size{256ULL << 20};                   ///< Of all segments.
  Duration age = std::chrono::hours(24 * 7);  ///< Of the oldest one.
  Names names = Names::plain;
};

/// How clients reach `sluice serve`.
struct ServiceOptions {
  ExecutorOptions executor;
  std::string socket;  ///< Path of the Unix socket; empty for the default path.
  std::string group;   ///< Of the socket, by name or number; empty for the daemon's own.
  /// Users and groups, by name or number, that may use the socket besides root and the daemon's own
  /// user. If both are empty, the members of the socket's group may.
  std::vector<std::string> allow_uids, allow_gids;
  /// For metrics and health; empty if there is no TCP port.
  std::string listen = "127.0.0.1:9797";
  std::string token_file;  ///< If empty, clients over TCP may change nothing.
  /// How long the daemon's own jobs may continue to run after SIGTERM; >= 0.
  Duration drain_on_stop = std::chrono::hours(1);
  RecordOptions record;
};

/// A worker of Gearman servers.
struct GearmanOptions {
  /// Programs with their arguments, keyed by the function they serve.
  using Commands = std::map<std::string, std::vector<std::string>>;

  enum class Kind { gearman };
  Kind kind = Kind::gearman;
  std::vector<std::string> servers;  ///< HOST:PORT each, at least one.
  Commands functions;                ///< Offered while this executor accepts work.
  Commands always;                   ///< Offered always; their jobs are not governed.
  std::string zone;                  ///< Empty if there is none.
  bool unzoned = false;              ///< With a zone: also accept jobs without a zone.
  std::optional<Duration> timeout;   ///< Of a job; whole seconds, >= 1 s.
  /// Variables that a job inherits from the daemon's environment; "*" for all of it.
  std::vector<std::string> environment{"HOME",  "LANG",   "LC_ALL", "LOGNAME", "PATH",
                                       "SHELL", "TMPDIR", "TZ",     "USER"};
  Bytes most_payload{1 << 20};  ///< Larger payloads are refused.
  bool trust_payload = false;   ///< A payload may name the command to run.
};

}  // namespace sluice
