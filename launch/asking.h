#pragma once

#include <string>
#include <variant>

#include "base/client_reply.h"
#include "client/answer.h"
#include "client/submission.h"
#include "sluice/units.h"

namespace sluice {

/// Send this request on the connection and wait for its answer.
struct SendRequest {
  std::string method, target, body;
  Duration patience;  ///< A daemon that takes longer hangs.
};

/// Connect to the same socket again, trying for so long.
struct Reconnect {
  Duration patience;  ///< 0: once.
};

/// Run the command under its permit.
struct RunGoverned {
  JobAnswer job;
  /// How its lease is held: `connection` if the daemon does not see this process, nor what it uses.
  Submission::Lease lease = Submission::Lease::peer;
};

/// Run the command without one.
struct RunUngoverned {
  std::string why;         ///< A sentence without a full stop.
  bool is_silent = false;  ///< The daemon has the connection and does not answer.
};

/// Do not run it: its job was cancelled.
struct GiveUp {
  std::string why;
};

using AskStep = std::variant<SendRequest, Reconnect, RunGoverned, RunUngoverned, GiveUp>;

/// Decides, event by event, what to do until the command may run. A build must not fail, and not
/// wait, because its governor does: whatever goes wrong lets the command run at once. Only a daemon
/// that announces its end is given five seconds to come back, since it hands its jobs to the next;
/// its `id` finds a job that the next daemon has kept. Pure. Not thread-safe.
class Asking {
 public:
  /// `socket`: what the command is told of the daemon.
  Asking(Submission submission, std::string socket)
      : submission_(std::move(submission)), socket_(std::move(socket)) {}

  AskStep begin();
  AskStep answered(const ClientReply& reply);
  /// The connection broke.
  AskStep lost();
  /// No answer within `patience`.
  AskStep silent() const;
  AskStep reconnected();
  /// Whether there is still something where the daemon's socket was: a daemon that stops in an
  /// orderly way removes it before it closes connections, one that is killed leaves it.
  enum class Socket { left_behind, removed };
  AskStep not_reconnected(Socket socket);

  /// The last answer about the job while it waits; its reason is for people.
  const JobAnswer& last() const { return last_; }

 private:
  AskStep refused(const DaemonError& refusal);
  AskStep waiting(const JobAnswer& answer);

  Submission submission_;
  std::string socket_;
  JobAnswer last_;
  bool waited_ = false;      ///< It was seen to wait.
  bool is_leaving_ = false;  ///< The daemon has announced its end.
  bool was_forgotten_ = false;
  int losses_ = 0;
};

}  // namespace sluice
