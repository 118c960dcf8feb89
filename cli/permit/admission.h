#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "cli/permit/job_terms.h"
#include "cli/permit/reach.h"
#include "cli/permit/waiting_line.h"
#include "client/client.h"
#include "process/signals.h"
#include "sluice/units.h"

namespace sluice::cli {

inline constexpr int kUnusable = 2;   ///< A wrong call, no daemon, or a job that can never run.
inline constexpr int kTryLater = 75;  ///< EX_TEMPFAIL: it was not admitted.

/// Why the command was not started, with the exit status that says so.
struct Refused {
  int status;
  std::string message;
  bool no_daemon = false;  ///< The daemon was lost, and none has come back.
};

/// A job that may run now.
struct AdmittedJob {
  std::string number;
  std::optional<std::int64_t> process;  ///< This one, as the daemon sees it; none: it does not.
  JobTerms terms;
};

/// How to wait for admission.
struct Waiting {
  std::optional<TimePoint> give_up;         ///< None: never.
  WaitTelling telling = WaitTelling::told;  ///< Why it waits, on standard error.
  std::string target = "/v1/jobs";          ///< Where it is submitted.
  std::string name = "sluice run";          ///< What the lines begin with.
  NoDaemon no_daemon = NoDaemon::usual;     ///< Where the daemon is lost meanwhile: it is expected.
};

/// Submits a job, whose body is a JSON object as text, and waits until it may run. The connection
/// holds it: it ends with this process. Waits on where the daemon is restarted within half a
/// minute: it has kept the job, or is given it again. Dies by a signal that would have ended this
/// process.
std::variant<AdmittedJob, Refused> wait_for_admission(Client& client,
                                                      const SignalDescriptor& signals,
                                                      const std::string& body,
                                                      const Waiting& waiting);

}  // namespace sluice::cli
