#include "service/doctor/doctor.h"

#include <algorithm>
#include <utility>

#include "base/mapped.h"
#include "base/suggest.h"
#include "base/text.h"

namespace sluice {
namespace {

/// Each client and each watched process takes one descriptor.
constexpr std::uint64_t kFewFiles = 4096;

using State = Finding::State;

class Diagnosis {
 public:
  explicit Diagnosis(const HostSurvey& survey) : survey_(survey) {}

  std::vector<Finding> findings() && {
    judge_groups();
    judge_memory();
    judge_pressure();
    judge_swap();
    judge_oom_groups();
    judge_limits();
    judge_files();
    judge_processes();
    judge_sockets();
    judge_state();
    judge_left_behind();
    for (const std::string& each : survey_.unreadable) {
      add(State::limited, "host", each, "run sluice doctor as the user that runs the daemon");
    }
    return std::move(findings_);
  }

 private:
  void add(State state, std::string check, std::string found, std::string advice = {}) {
    findings_.push_back({state, std::move(check), std::move(found), std::move(advice)});
  }

  void judge_groups() {
    for (const std::string& problem : survey_.group_problems) {
      add(State::limited, "cgroups", problem, "Sluice measures and ends jobs by their processes");
    }
    if (survey_.groups.empty()) {
      if (!survey_.group_problems.empty()) return;
      return add(
          State::limited, "cgroups", "this host has none",
          "mount cgroup2 at /sys/fs/cgroup; until then Sluice measures jobs by their processes");
    }
    std::vector<std::string> shut, open;
    for (const OwnGroup& group : survey_.groups) {
      (group.is_writable ? open : shut).push_back(group.is_v2 ? "v2" : "v1 " + group.name);
    }
    if (shut.empty()) {
      return add(State::good, "cgroups", "jobs get groups of their own (" + join_words(open) + ")");
    }
    add(State::limited, "cgroups",
        "cannot create groups below " + shut_folder() + " (" + join_words(shut) + ")",
        "run as root, or have the group delegated (systemd: Delegate=yes in the unit; "
        "containers: a writable /sys/fs/cgroup); until then Sluice measures jobs by their "
        "processes");
  }

  std::string shut_folder() const {
    return std::ranges::find(survey_.groups, false, &OwnGroup::is_writable)->folder;
  }

  /// The root of v2 has no memory files of its own, but enables the controller for groups below it.
  bool is_whole_host() const {
    return std::ranges::any_of(survey_.groups, [](const OwnGroup& each) {
      return each.is_v2 && each.is_root && each.lacking.empty();
    });
  }

  /// In v2, a group that contains other processes cannot enable controllers for the groups below
  /// it.
  void judge_memory() {
    if (is_whole_host()) {
      return add(State::good, "memory", "the whole host's: this is the root cgroup");
    }
    if (!survey_.accounts_memory) {
      return add(State::limited, "memory", "no memory controller for this group",
                 "enable it (kernel: cgroup_enable=memory; v2: +memory in the "
                 "cgroup.subtree_control of each group above); until then only the host's memory "
                 "is governed, and memory.enforce cannot limit a job");
    }
    for (const OwnGroup& group : survey_.groups) {
      if (!group.is_v2 || !group.is_writable) continue;
      if (!group.lacking.empty()) {
        return add(State::limited, "memory",
                   group.folder + " has no controller for " + join_words(group.lacking, " and "),
                   "enable it in the cgroup.subtree_control of each group above");
      }
      if (group.switches_on || group.other_processes == 0) continue;
      return add(State::limited, "memory",
                 group.folder + " also holds other processes (" +
                     std::to_string(group.other_processes) +
                     "): the groups of jobs below it get no controllers",
                 "start the daemon in a group of its own (systemd does; systemd-run --scope -p "
                 "Delegate=yes); until then memory and I/O of jobs are read from their processes");
    }
    add(State::good, "memory", "accounted for this group");
  }

  void judge_pressure() {
    std::vector<std::string> missing;
    if (!survey_.measures_cpu) missing.emplace_back("cpu");
    if (!survey_.measures_memory) missing.emplace_back("memory");
    if (!survey_.measures_io) missing.emplace_back("io");
    if (missing.empty()) {
      return add(State::good, "pressure", "the kernel measures stalls of cpu, memory and io");
    }
    add(State::limited, "pressure", "the kernel does not measure stalls of " + join_words(missing),
        "boot with psi=1 (CONFIG_PSI); until then Sluice uses load and free memory instead");
  }

  void judge_swap() {
    const std::string meaning =
        "memory.enforce: high is refused, because jobs would stall at their limit";
    std::string found = bytes_text(survey_.swap);
    if (!survey_.no_swap_file.empty()) found = survey_.no_swap_file + " is 0: " + meaning;
    if (survey_.swap == Bytes{}) found = "none: " + meaning;
    add(State::good, "swap", std::move(found));
  }

  void judge_oom_groups() {
    if (survey_.oom_groups.empty()) {
      return add(State::good, "oom.group", "off: an OOM kill ends one process");
    }
    add(State::limited, "oom.group",
        join_words(survey_.oom_groups) +
            ": an OOM kill ends everything there, including the daemon",
        "run the daemon in a group above or beside it (systemd: OOMPolicy=continue; "
        "kubelet: singleProcessOOMKill: true)");
  }

  void judge_limits() {
    const auto all =
        mapped(survey_.limits, [](auto& each) { return each.what + " by " + each.file; });
    add(State::good, "limits", all.empty() ? "none besides the host's own" : join_words(all));
  }

  void judge_files() {
    const std::string found = std::to_string(survey_.most_files) + " files may be open at once";
    if (survey_.most_files >= kFewFiles) return add(State::good, "descriptors", found);
    add(State::limited, "descriptors", found + ": each client needs one, and each watched process",
        "raise the limit to " + std::to_string(kFewFiles) +
            " or more (systemd: LimitNOFILE=; shell: ulimit -Hn)");
  }

  void judge_processes() {
    if (survey_.sees_all_processes) {
      return add(State::good, "processes", "those of other users are visible");
    }
    add(State::limited, "processes", "/proc hides those of other users (hidepid)",
        "run the daemon as root or in the group that /proc is mounted with (gid=); until then "
        "Sluice relies on what other users' jobs report");
  }

  static std::string advice_to_join(const std::string& group) {
    if (group.empty()) return "have service.group name a group of this user's";
    return "join the socket's group " + group + ": sudo usermod -aG " + group +
           " \"$USER\", then log in again";
  }

  void judge_sockets() {
    bool served = false;
    for (const SocketPlace& each : survey_.sockets) {
      switch (each.state) {
        case SocketPlace::State::absent:
          continue;
        case SocketPlace::State::served:
          add(State::good, "daemon", "serves at " + each.path);
          break;
        case SocketPlace::State::stale:
          add(State::broken, "daemon", each.path + " is left from a daemon that has exited",
              "start the daemon (systemctl start sluice, or sluice serve), or remove the file: "
              "commands wait 30 s for it");
          break;
        case SocketPlace::State::denied:
          add(State::limited, "daemon", each.path + " is closed to this user",
              advice_to_join(each.group));
          break;
        case SocketPlace::State::irregular:
          add(State::broken, "daemon", each.path + " exists but is not a socket",
              "remove it, or choose another path (--socket, service.socket)");
          break;
      }
      served = true;
    }
    if (!served) add(State::good, "daemon", "none is running; start one with sluice serve");
  }

  void judge_state() {
    if (!survey_.state) {
      add(State::limited, "state", "no state folder: HOME is not set",
          "set HOME or state_dir; until then Sluice remembers no job's needs");
    } else if (!survey_.state->problem.empty()) {
      add(State::broken, "state", survey_.state->problem,
          "repair it; until then a daemon keeps its state in memory and loses it on exit");
    } else if (!survey_.state->closed.empty()) {
      add(State::limited, "state", survey_.state->closed,
          "make it writable for the user that runs the daemon, and run sluice doctor as that user; "
          "a daemon of this user would lose its state on exit");
    } else if (survey_.state->newer.empty()) {
      add(State::good, "state", survey_.state->folder);
    }
    if (!survey_.state) return;
    for (const NewerFile& each : survey_.state->newer) judge_newer(each);
    for (const std::string& each : survey_.state->moved_aside) {
      add(State::limited, "state",
          each + " was corrupt: Sluice moved it aside and started a new one",
          "check the disk; `sqlite3 FILE .recover` may recover it; remove it when you are done");
    }
  }

  void judge_newer(const NewerFile& file) {
    const std::string found = file.path + " was written by a newer version of sluice (schema " +
                              std::to_string(file.version) + ", this one knows " +
                              std::to_string(file.known) + ")";
    const std::string advice = "use that version, or move the file away: until then ";
    if (file.kind == NewerFile::Kind::jobs) {
      add(State::broken, "state", found, advice + "this one does not start with it");
    } else if (file.kind == NewerFile::Kind::history) {
      add(State::broken, "state", found,
          advice + "this one keeps what it learns in memory, and loses it on exit");
    } else {
      add(State::limited, "state", found,
          "use that version to read that part of the record: this one leaves it out");
    }
  }

  void judge_left_behind() {
    if (survey_.left_behind.empty()) {
      return add(State::good, "left behind", "no groups of exited governors");
    }
    add(State::broken, "left behind",
        count_text(survey_.left_behind.size(), "group") +
            " of exited governors: " + join_words(survey_.left_behind),
        "run sluice doctor --clean to end their processes and remove them");
  }

  const HostSurvey& survey_;
  std::vector<Finding> findings_;
};

}  // namespace

std::string_view to_string(Finding::State state) {
  if (state == State::good) return "ok";
  return state == State::limited ? "limited" : "broken";
}

std::vector<Finding> findings_of(const HostSurvey& survey) { return Diagnosis(survey).findings(); }

std::vector<Finding> memory_findings() {
  std::vector<Finding> all = findings_of(survey_own_groups());
  std::erase_if(all, [](const Finding& each) {
    return each.check != "memory" || each.state == Finding::State::good;
  });
  return all;
}

bool is_broken(const std::vector<Finding>& findings) {
  return std::ranges::find(findings, State::broken, &Finding::state) != findings.end();
}

}  // namespace sluice
