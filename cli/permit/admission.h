#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "cli/permit/reach.h"
#include "client/answer.h"
#include "client/client.h"
#include "client/waiting_line.h"
#include "process/child/signals.h"
#include "sluice/units.h"

namespace sluice::cli {

inline constexpr int kUnusable = 2;   ///< A wrong call, no daemon, or a job that can never run.
inline constexpr int kTryLater = 75;  ///< EX_TEMPFAIL: the job was not admitted.

/// Why the command was not started, with the matching exit status.
struct Refused {
  int status;
  std::string message;
  bool no_daemon = false;  ///< The daemon was lost, and none has come back.
};

/// A job that may run now.
struct AdmittedJob {
  std::string number;
  std::optional<std::int64_t> process;  ///< This one, as the daemon sees it; nullopt if hidden.
  JobTerms terms;
};

/// How to wait for admission.
struct Waiting {
  std::optional<TimePoint> give_up = {};    ///< nullopt: never.
  WaitTelling telling = WaitTelling::told;  ///< Whether to report the reason on standard error.
  std::string target = "/v1/jobs";          ///< The path to submit to.
  std::string name = "sluice run";          ///< Prefix of the reported lines.
  NoDaemon no_daemon = NoDaemon::usual;     ///< If the daemon is lost; one is expected then.
};

/// Submits a job, whose body is a JSON object as text, and waits until it may run. The connection
/// holds the job: it ends with this process. Keeps waiting if the daemon restarts within half a
/// minute: the daemon has kept the job, or gets it again. A signal that would have ended this
/// process ends it while it waits.
std::variant<AdmittedJob, Refused> wait_for_admission(Client& client,
                                                      const SignalDescriptor& signals,
                                                      const std::string& body,
                                                      const Waiting& waiting);

}  // namespace sluice::cli
