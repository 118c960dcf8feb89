#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/client_reply.h"
#include "sluice/units.h"

namespace sluice {

/// The terms on which the command of a running job works.
struct JobTerms {
  std::map<std::string, std::string> environment;  ///< Items that it holds, and its permit.
  std::vector<std::string> ignored = {};  ///< Variables that the daemon sent but may not set.
  std::optional<int> nice;
  std::optional<Bytes> memory_high = {}, memory_max = {};  ///< Of its group, if it has one.
  std::optional<Duration> expected = {};                   ///< By runs of its own key.
};

/// What the daemon says about the job; the terms if it runs.
struct JobAnswer : JobTerms {
  enum class State { pending, running, over };
  State state = State::over;
  std::string number;             ///< The daemon's, for paths of requests.
  bool was_deduplicated = false;  ///< A job like it waits in its place; this one was not queued.
  bool was_cancelled = false;     ///< A user or a rule ended it while it waited.
  std::string reason_kind;        ///< Identifies why it waits, without numbers that change.
  std::string reason;             ///< The same as a sentence; empty if it does not wait.
  std::string ahead;              ///< The job that goes first, if that is the reason.
  std::optional<std::uint64_t> next_memory;  ///< Bytes that are kept for the next run like it.
  std::string suspended;                     ///< Why it must stand still; empty if it may run.
};

/// The daemon refuses.
struct DaemonError {
  std::string code;  ///< "no_process", "stopping" and the like.
  std::string message;
  std::string field;  ///< Of the request; empty if none is at fault.
};

/// What answers is not a sluice daemon.
struct Unreadable {};

/// The object that a reply is; nullopt if the reply is not from a sluice daemon. Never throws for
/// any bytes. Pure.
std::optional<boost::json::object> answer_object(const ClientReply& reply);

/// Reads an answer about a job; `socket`: the daemon's, as its command is told. Never throws for
/// any bytes. Pure.
std::variant<JobAnswer, DaemonError, Unreadable> read_answer(const ClientReply& reply,
                                                             const std::string& socket);

/// The terms of a running job. Its command is told which permit it works on, what that permit
/// holds, and the socket to ask for more: an absolute path, since the command may run in another
/// directory. All four variables are set, so that nothing of an outer permit remains; none if
/// `permit` is empty. Pure.
JobTerms read_terms(const boost::json::object& job, const std::string& permit,
                    const std::string& socket);

/// The process that holds a job's lease; nullopt if there is none or the lease is over. Pure.
std::optional<std::int64_t> process_of(const boost::json::object& job);

/// Why the daemon refuses; nullopt if its answer is no error. Never throws for any bytes. Pure.
std::optional<DaemonError> read_error(const ClientReply& reply);

/// The same for people, of an answer to a request for `target` that is no success: as the daemon
/// wrote it, so not safe for a terminal. Pure.
std::string failure_sentence(const ClientReply& reply, std::string_view target);

/// The number of jobs that the daemon runs, in its answer to GET /v1/status; nullopt if it does not
/// say. Pure.
std::optional<std::uint64_t> read_running_jobs(const ClientReply& reply);

/// Why the daemon starts no job of a queue, or of the one that it is a branch of ("/BRANCH": of
/// "default"), in the same answer, as `JobAnswer::reason_kind`: it drains, the queue is paused, or
/// why it starts none at all. By no job of others. Empty if it does not say. Pure.
std::string read_limiting(const ClientReply& reply, const std::string& queue);

/// The largest size of the daemon's window, in the same answer; nullopt if it does not say. Pure.
std::optional<Points> read_largest_window(const ClientReply& reply);

/// The memory that the daemon may still promise to jobs, in the same answer; nullopt if it does not
/// say. Pure.
std::optional<Bytes> read_free_memory(const ClientReply& reply);

/// How many jobs of a kind fit now, besides those that run: GET /v1/fit.
struct FitAnswer {
  std::size_t jobs = 1;          ///< At least 1, as a governor always runs one.
  std::string bound;             ///< "cpus", "memory" or "window".
  std::string rung;              ///< What the need is known by: see `Rung`.
  std::optional<double> cores;   ///< That one uses.
  std::optional<double> memory;  ///< Bytes that one holds at its peak, on average.

  /// Whether something was learned of such jobs.
  bool is_known() const { return !rung.empty() && rung != "prior"; }
};

/// nullopt if it is no such answer. Pure.
std::optional<FitAnswer> read_fit(const ClientReply& reply);

/// What the daemon knows of the programs of builds: GET /v1/build.
struct BuildAnswer {
  std::map<std::string, std::string> programs;  ///< "heavy", "unknown" or "free", by file name.
  std::vector<std::string> learned;             ///< Programs that have held much memory.
  std::vector<std::string> timers;
  Duration timed_hold{0};
};

/// nullopt if it is no such answer. Pure.
std::optional<BuildAnswer> read_build(const ClientReply& reply);

}  // namespace sluice
