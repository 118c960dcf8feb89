#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptors.h"
#include "client/answer.h"
#include "client/client.h"
#include "client/submission.h"
#include "recognition/program_class.h"
#include "sluice/job.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// Identifies one request for a permit within a build.
using Ticket = std::uint64_t;

/// What the daemon has said.
struct PermitNews {
  enum class What {
    granted,    ///< May run.
    waits,      ///< Is queued, and why.
    refused,    ///< Gets none: it asks for the impossible, or was cancelled.
    suspended,  ///< Must be stopped until `goes_on`.
    goes_on,
    idle,     ///< The daemon runs no job at all; `reason_kind`: why the first of these waits.
    room,     ///< Memory that may still be promised: see `memory`.
    learned,  ///< The daemon has learned from the end of one that the kernel killed for memory.
    fits,     ///< How many jobs of a kind fit: see `fit`.
    lost,     ///< The daemon is gone, or does not answer: no permit counts any more.
    found     ///< It, or the next one, answers again.
  };
  What what;
  Ticket ticket = 0;
  /// For `waits`, `idle`: see `JobAnswer`; `refused`: the error's code.
  std::string reason_kind = {};
  std::string reason = {};  ///< A sentence without a full stop; for `lost` and `refused`, too.
  std::string ahead = {};   ///< For `waits`: the job that goes first; empty if none.
  FitAnswer fit = {};
  /// For `learned`: what is kept for its next run; for `room`: what is free.
  std::optional<Bytes> memory = {};
  /// For `found` after `begin_lost`, if it says: see `ConfiguredPrograms`.
  std::optional<ListedPrograms> programs = {};
  std::optional<Duration> timed_hold = {};
};

/// The requests of one build to the daemon, over a connection on which all its permits hang, and
/// one more for each that waits, so that a grant is heard at once; where more than 200 wait, or
/// more than a quarter of the descriptors that this process may have, they take turns. Never waits
/// for an answer. A daemon that does not answer within 2 s, or 2 s after a waiting request was due,
/// counts as gone, but not for 8 s more while it only starves (`has_busy_thread`): on a host that
/// is short of CPUs or memory, letting go what is held makes it worse. It, or the next one that
/// sees the same processes, is looked for twice a second. Not thread-safe.
class PermitRequests {
 public:
  explicit PermitRequests(Client daemon);
  /// Before anything was asked: takes the daemon, which has not answered others in time, for lost
  /// until it answers (`found`), for which it is asked for its programs. With a closed connection,
  /// it first looks for it.
  void begin_lost();

  /// `process`: whose use the daemon reads once it runs. `submission.id` names the job.
  void ask(Ticket ticket, const Submission& submission, pid_t process);
  /// What a running job has used so far. Left out while an earlier report is on its way.
  void report(Ticket ticket, const JobUsage& usage);
  /// It no longer needs its permit.
  void end(Ticket ticket, Outcome outcome, const JobUsage& usage);

  /// Asks how many jobs of the same kind fit.
  void ask_how_many_fit(Ticket ticket);
  /// Asks whether the daemon runs any job, and what memory is free.
  void ask_for_room();

  /// Whether the end of a job has yet to be sent, or answered.
  bool awaits_answers() const { return has_asked(Request::Kind::end); }

  /// An epoll descriptor, readable when the daemon has said something.
  int descriptor() const { return epoll_.get(); }
  std::optional<TimePoint> next() const;
  /// Takes what has arrived and sends what can be sent.
  std::vector<PermitNews> poll(TimePoint now);

  /// For what works on this permit; empty before it was granted.
  std::string token_of(Ticket ticket) const;
  /// What the daemon keeps for it; nullopt if nothing.
  std::optional<Bytes> memory_of(Ticket ticket) const;

 private:
  struct Job {
    std::string path;  ///< Of its resource.
    std::string kind;  ///< To ask for others like it: a query.
    pid_t process = 0;
    bool is_running = false;
    bool is_suspended = false;
    bool reports = false;  ///< A report is on its way.
    std::string token;
    std::optional<Bytes> memory;
  };
  struct Request {
    enum class Kind { submit, started, report, end, status, fit, programs };
    Kind kind;
    Ticket ticket;
    std::string method, target, body;
  };
  /// A connection on which the answer about a waiting job is outstanding, or none.
  struct Waiter {
    Client client;
    Ticket ticket = 0;  ///< 0: idle.
    TimePoint asked_at = {};
  };

  void lose(const std::string& why, TimePoint now);
  void find_again(TimePoint now);
  void ask_whether_found();
  void send_next(TimePoint now);
  void hear_owner(TimePoint now);
  void hear_waiter(int descriptor, TimePoint now);
  std::optional<TimePoint> silent_at() const;
  bool starves(TimePoint silent, TimePoint now);
  void handle_reply(const Request& request, const ClientReply& reply, TimePoint now);
  void take_programs(const ClientReply& reply);
  bool has_asked(Request::Kind kind) const;
  void take_end(Ticket ticket, const ClientReply& reply);
  void take_state(Ticket ticket, const JobAnswer& answer, TimePoint now);
  void wait_for(Ticket ticket, TimePoint now);

  Client owner_;
  const std::size_t most_waiters_;
  Descriptor epoll_;
  std::map<Ticket, Job> jobs_;
  std::string queue_;  ///< In which they wait.
  std::deque<Request> requests_;
  std::optional<Request> asked_;  ///< Its answer is outstanding.
  TimePoint asked_at_;
  TimePoint starves_until_ = TimePoint::min();  ///< As far as is known: it has until then.
  std::map<int, Waiter> waiters_;
  std::deque<Ticket> unwatched_;  ///< Wait, and no connection is left for them.
  std::vector<PermitNews> news_;
  std::optional<TimePoint> reconnect_at_;  ///< Without a daemon: when to look for one.
  bool is_found_ = true;                   ///< It has answered since.
  bool lacks_programs_ = false;            ///< No daemon has been asked for them.
};

}  // namespace sluice
