#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "recognition/program_class.h"
#include "sluice/units.h"

namespace sluice {

/// What a process without a permit waits for.
enum class WaitsFor {
  window,
  memory,  ///< Or a sensor of it. It goes on without only where that stands still.
  sensor,  ///< Another red one. The next one goes on without later each time.
  resume,  ///< An operator, or a rule, has paused it.
  nothing  ///< The daemon takes no more work: there will be no permit.
};

/// Why a process runs without a permit that it needs.
enum class NoPermitReason {
  stalled,      ///< Nothing else of the build moved: what stands still may hold what others need.
  pipeline,     ///< Another stage of its pipeline runs.
  timekeeper,   ///< A clock runs above it.
  ending,       ///< It stands still with a signal that ends it.
  unstoppable,  ///< A process that waits for it would see that it stops.
  ungoverned    ///< No daemon answers, or it takes no more work.
};

/// Something to do about a process.
struct TreeAction {
  enum class What {
    ask,      ///< Ask for a permit.
    hold,     ///< Stop it until it has one.
    go_on,    ///< Continue it.
    release,  ///< Give its permit back, or ask no more.
  };
  What what;
  pid_t process = 0;
  pid_t parent = 0;        ///< For `ask`: works on the permit of this process; 0 for none.
  bool has_ended = false;  ///< For `release`: it did not only become another program.

  bool operator==(const TreeAction&) const = default;
};

struct BuildTreeOptions {
  /// What ends sooner than this is no job, unless it is heavy, or known to become so.
  Duration observation = std::chrono::milliseconds(50);
  /// The same while something is held for memory, which what is under observation later fills.
  Duration short_observation = std::chrono::milliseconds(15);
  /// While more than this many are observed, each asks at once: together they fill the memory.
  std::size_t most_observed = std::numeric_limits<std::size_t>::max();
  /// The longest hold below a program that keeps time.
  Duration timed_hold = std::chrono::seconds(10);
};

/// A process that is stopped until it has a permit.
struct HeldProcess {
  pid_t process = 0;
  TimePoint since;
  WaitsFor waits_for = WaitsFor::window;
  pid_t parent = 0;  ///< Only if that is an unknown program, which may talk to it; else 0.
};

/// Decides which processes of a build ask for a permit, and which of them are held.
/// - A heavy process asks at once, and so does one that is known to come to hold much; a brief one
///   when its observation is over, another one also when nothing below it holds a permit.
/// - The permit of a heavy process covers one heavy process that it waits for: collect2's ld for a
///   driver's, rustc's ld. A second one at the same time asks for itself.
/// - What asks below an unknown process that runs on a permit works on that permit.
/// - The root is never held: the process that started it would see that.
/// Ignores events about unknown processes. Pure. Not thread-safe.
class BuildTree {
 public:
  explicit BuildTree(pid_t root, BuildTreeOptions options = {});

  /// A child of a known process. It is a copy of its parent until `became`.
  void appeared(pid_t process, pid_t parent, TimePoint now);
  /// It has become another program, or was looked at for the first time.
  void became(pid_t process, const ProgramKind& kind, TimePoint now);
  void gone(pid_t process);

  void granted(pid_t process);
  /// It is held, or, where it waits for nothing, goes on.
  void waits(pid_t process, WaitsFor waits_for, TimePoint now);
  /// The daemon refused it, or its job was cancelled: it runs on without a permit, and does not ask
  /// again before it becomes another program or another daemon is found.
  void refused(pid_t process);
  void not_held(pid_t process);  ///< It could not be stopped.
  /// A held process goes on without a permit. It keeps waiting for one, which then counts it.
  void let_go(pid_t process, NoPermitReason why);
  /// Of two children of one parent: whether one is held, not for memory, and not heavy, while the
  /// other has a permit or went on as a stage of a pipeline.
  bool may_go_with(pid_t held, pid_t running) const;
  /// No permit counts any more, and what waits for one goes on without.
  void daemon_lost();
  /// What runs asks again and is not held. `timed_hold`: of a daemon that is asked for it first.
  void daemon_found(std::optional<Duration> timed_hold = {});

  /// The actions that are due, in order; each is returned once.
  std::vector<TreeAction> act(TimePoint now);
  /// The latest time to call `act` next, if no event comes first.
  std::optional<TimePoint> next() const;

  bool knows(pid_t process) const { return processes_.contains(process); }
  /// Since when a known process runs its program.
  TimePoint since(pid_t process) const { return processes_.at(process).since; }
  bool holds_permit(pid_t process) const;
  std::vector<HeldProcess> held() const;  ///< The eldest first.
  /// Processes that run on a permit of their own, or without the one that they wait for.
  std::vector<pid_t> holders() const;
  /// The nearest of these, itself or above; 0 if there is none.
  pid_t holder_above(pid_t process) const;
  /// Processes let go so far, by reason.
  const std::map<NoPermitReason, std::size_t>& beyond() const { return beyond_; }

 private:
  enum class Permit { none, asked, waiting, granted };
  struct Process {
    pid_t parent = 0, covered_by = 0, covers = 0;
    std::optional<ProgramKind> kind;  ///< nullopt: a copy of its parent.
    TimePoint since;                  ///< Since when it is what it is.
    Permit permit = Permit::none;
    std::optional<TimePoint> held;
    WaitsFor waits_for = WaitsFor::window;
    std::optional<NoPermitReason> beyond;
    bool is_refused = false;
    std::size_t order = 0;
  };

  Process* find(pid_t process);
  const Process* find(pid_t process) const;
  ProgramKind kind_of(const Process& process) const;
  static bool is_holder(const Process& process);
  bool is_ignored(const Process& process) const;
  bool is_timed(const Process& process) const;
  bool permit_below(pid_t process) const;
  Duration unlisted_runs_for() const;
  bool observes_a_crowd() const;
  std::optional<TimePoint> asks_at(pid_t process, Duration observation) const;
  void seek_permit(pid_t process);
  void give_up_permit(pid_t process, bool has_ended);
  void go_on(pid_t process);

  const pid_t root_;
  BuildTreeOptions options_;
  std::map<pid_t, Process> processes_;
  std::vector<TreeAction> actions_;
  std::map<NoPermitReason, std::size_t> beyond_;
  std::size_t appeared_ = 0;
  bool has_daemon_ = true;
};

}  // namespace sluice
