#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// Whose cgroup the sensors of `sluice serve` judge: its own, or that of an executor which runs in
/// another container of the same pod.
struct ExecutorOptions {
  enum class Source { own, automatic, attach, procroot, hostpath, downward, config };
  /// From which network namespaces a cgroup may be attached.
  enum class From { pod, anywhere };

  Source source = Source::own;
  From attach_from = From::pod;
  std::string process;          ///< Name of the executor's process; empty: unknown.
  std::string hierarchy;        ///< Where the host's /sys/fs/cgroup is; empty: not here.
  std::string podinfo;          ///< Folder of the downward API's files; empty: none.
  std::optional<Bytes> memory;  ///< Its limit, as somebody says; none: unlimited.
  std::optional<double> cpus;   ///< Likewise.
};

/// How `sluice serve` is reached.
struct ServiceOptions {
  ExecutorOptions executor;
  std::string socket;  ///< Path of the Unix socket; empty: the default place.
  std::string group;   ///< Of the socket, by name or number; empty: the daemon's own.
  /// Who may use the socket besides root and the daemon's own user, by name or number. Both empty:
  /// the members of the socket's group.
  std::vector<std::string> allow_uids, allow_gids;
  std::string listen = "127.0.0.1:9797";  ///< For metrics and health; empty: no TCP port.
  std::string token_file;                 ///< Empty: over TCP nothing can be changed.
  /// On SIGTERM, how long jobs of its own may run on; >= 0.
  Duration drain_on_stop = std::chrono::hours(1);
};

/// A worker of Gearman servers.
struct GearmanOptions {
  /// Programs with their arguments, by the function that they serve.
  using Commands = std::map<std::string, std::vector<std::string>>;

  enum class Kind { gearman };
  Kind kind = Kind::gearman;
  std::vector<std::string> servers;  ///< HOST:PORT each, at least one.
  Commands functions;                ///< Offered while this executor takes work.
  Commands always;                   ///< Offered whatever it does; their jobs are not governed.
  std::string zone;                  ///< Empty: none.
  bool unzoned = false;              ///< With a zone: jobs for no zone are taken as well.
  std::optional<Duration> timeout;   ///< Of a job; whole seconds, >= 1 s.
  /// Variables that a job gets of the daemon's own environment; "*": all of it.
  std::vector<std::string> environment{"HOME",  "LANG",   "LC_ALL", "LOGNAME", "PATH",
                                       "SHELL", "TMPDIR", "TZ",     "USER"};
  Bytes most_payload{1 << 20};  ///< Larger ones are refused.
  bool trust_payload = false;   ///< A payload may name the command that is run.
};

}  // namespace sluice
