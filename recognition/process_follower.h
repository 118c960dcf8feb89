#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/descriptors.h"
#include "recognition/process_connector.h"
#include "recognition/process_facts.h"
#include "recognition/subreaper.h"
#include "sluice/units.h"

namespace sluice {

/// How processes are found.
enum class ProcessSource {
  best,  ///< The kernel's events where they can be had, else /proc.
  proc   ///< /proc alone, as users other than root.
};

/// Follows a process and all its descendants. With the kernel's events it misses none; with /proc
/// it misses those that begin and end between two scans. With /proc, orphans become children of
/// this process, which reaps them; one whose parent was never seen counts as started by the root.
/// Scans take at most a hundredth of the time of one CPU. Not thread-safe.
class ProcessFollower {
 public:
  /// `root`: a child of this process. Whatever else this process starts meanwhile must end before
  /// the next call of `poll`, or execute nothing: others pass for orphans.
  ProcessFollower(pid_t root, ProcessSource source);

  /// An epoll descriptor, readable when something may have happened.
  int descriptor() const { return epoll_.get(); }
  /// When to look at the latest, if nothing happens; nullopt if what happens is told.
  std::optional<TimePoint> next() const;
  /// Returns the events of the root and its descendants, in order. The first call reports that the
  /// root `became` its program. `became` may be reported without a change: compare the command.
  /// Never waits.
  std::vector<ProcessEvent> poll(TimePoint now);

  bool has_events_of_kernel() const { return connector_.has_value(); }

 private:
  struct Member {
    std::uint64_t started = 0;
    std::string command;                     ///< Empty with the kernel's events.
    std::optional<ProgramImage> image = {};  ///< Likewise none; or not known.
    TimePoint since;
    Descriptor descriptor;                   ///< Of the process, to learn of its end, or none.
    bool may_have_threads = true;            ///< Beside its first.
    std::optional<int> status = {};          ///< Of its first thread, which has ended.
    std::optional<TimePoint> check_at = {};  ///< Then: when to see whether others go on.
  };

  void handle_event(const ProcessEvent& event, bool starts_threads,
                    std::vector<ProcessEvent>& events, TimePoint now);
  void first_thread_ended(const ProcessEvent& event, std::vector<ProcessEvent>& events,
                          TimePoint now);
  void check_ending(std::vector<ProcessEvent>& events, TimePoint now);
  void rescan(std::vector<ProcessEvent>& events, TimePoint now);
  void find_new(std::vector<ProcessEvent>& events, TimePoint now);
  std::map<pid_t, pid_t> parents_of_unknown() const;
  static bool executes(pid_t process, Member& member, std::string command);
  void check_members(std::vector<ProcessEvent>& events, TimePoint now);
  void find_ends(std::vector<ProcessEvent>& events);
  void join(pid_t process, pid_t parent, TimePoint now);
  std::optional<int> reap(pid_t process) const;

  const pid_t root_;
  Descriptor epoll_;
  std::optional<ProcessConnector> connector_;
  std::optional<Subreaper> subreaper_;  ///< Only without the kernel's events.
  std::map<pid_t, Member> members_;
  std::set<pid_t> strangers_;  ///< Seen, and not below the root.
  TimePoint rescan_at_, forget_strangers_at_, full_scan_at_;
  bool is_first_ = true;
};

}  // namespace sluice
