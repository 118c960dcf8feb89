#pragma once

#include <optional>
#include <string>
#include <utility>

#include "cli/build/arguments.h"
#include "cli/build/daemon_start.h"
#include "cli/jobserver/tool_command.h"
#include "client/client.h"

namespace sluice::cli {

/// How long the daemon that is started for a user stays without a job and a client.
inline constexpr const char* kIdleTime = "10min";

/// The daemon that governs a build. The destructor ends one that was started for this build alone.
class BuildDaemon {
 public:
  /// Connects to the daemon that the arguments lead to: the one named, unless it was one that
  /// Sluice has started beside the usual one for an outer build and that is gone; else one that is
  /// reachable, else this user's, which is started if it does not run; any number of builds at once
  /// start one. Where a cgroup's memory limit holds for this process and not for that daemon, or
  /// the other way round, the user has another daemon for that group; one that is not the user's is
  /// used, with a warning. One that does not answer within 2 s is found all the same, with a
  /// warning: it may answer later, and its socket is taken; if its queue of connections is full,
  /// `client` is closed. With `alone`, starts one that ends with this object, or with this process.
  /// On failure, throws std::runtime_error with one line that says where and what to do.
  static BuildDaemon find(const BuildArguments& arguments, const ToolReporter& reporter);

  BuildDaemon(BuildDaemon&& other) noexcept
      : client_(std::move(other.client_)),
        answers_(other.answers_),
        alone_(std::move(other.alone_)),
        folder_(std::exchange(other.folder_, {})) {}
  BuildDaemon& operator=(BuildDaemon&&) = delete;
  ~BuildDaemon();

  Client& client() { return client_; }
  /// Whether it answered when it was found.
  bool answers() const { return answers_; }
  /// Whether commands find it without being told its socket.
  bool is_in_a_usual_place() const;

 private:
  static BuildDaemon start_for_one(const BuildArguments& arguments, const ToolReporter& reporter);
  explicit BuildDaemon(Client client) : client_(std::move(client)) {}
  BuildDaemon(Client client, DetachedProcess alone, std::string folder)
      : client_(std::move(client)), alone_(std::move(alone)), folder_(std::move(folder)) {}

  Client client_;
  bool answers_ = true;
  std::optional<DetachedProcess> alone_;  ///< Set if it serves this build alone,
  std::string folder_;                    ///< in this folder.
};

}  // namespace sluice::cli
