#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "sluice/status.h"

namespace sluice::cli {

/// The data about a host that `sluice status` and `sluice demo` show, whatever its source.
struct HostView {
  struct SensorRow {
    std::string name;
    std::string verdict;  ///< "green", "red", "failed", "stale", "ignored"
    double pressure = 0;
    bool limited = true;   ///< False: its measure has no limit, so a bar would mean nothing.
    std::string sentence;  ///< The reading, or why there is none.
    double resume = 1;     ///< A red sensor turns green below this pressure.
  };
  struct JobRow {
    std::string id;
    std::string name;
    std::int64_t cost = 0;
    double seconds = 0;  ///< Since its admission, or its wait so far.
    std::string reason;  ///< Why it waits or is suspended; empty while it runs.
    /// Its number if it is in a batch of this process, which has a better name for it.
    std::optional<std::size_t> seq = std::nullopt;
    std::string number = {};  ///< At its daemon; empty without one.
    std::string kind = {};    ///< Identifies the reason, without its numbers.
  };

  struct QueueRow {
    std::string name;
    bool paused = false;
    std::size_t running = 0, pending = 0;
    double waited = 0;   ///< Seconds that its oldest job has waited.
    std::string reason;  ///< Why its first job waits; empty if none does.
    /// Of a branch, such as a build has: its jobs that have run and ended.
    std::optional<std::uint64_t> ended = std::nullopt;
  };
  struct ResourceRow {
    std::string name;
    std::string kind;
    std::optional<std::int64_t> total;  ///< nullopt for a highlander.
    std::int64_t used = 0;
    std::size_t waiting = 0;
  };

  /// A server that provides jobs.
  struct SourceRow {
    std::string kind, server;
    bool connected = false;
    std::string problem;  ///< Why it is not connected; may be empty.
    std::int64_t jobs = 0;
    std::vector<std::string> offered;
  };

  /// The tightest memory limit; in bytes.
  struct MemoryRow {
    std::string where;
    double promised = 0, others = 0, kept = 0, margin = 0;
    std::size_t unverified = 0;  ///< Jobs whose memory use only their owner reports.
  };

  std::string law;
  std::int64_t size = 0, usage = 0, minimum = 0, maximum = 0;
  std::optional<std::int64_t> threshold;
  std::string state;  ///< "taking work", or why it is not.
  bool takes_work = false;
  std::string unkept;      ///< Why jobs that should be persistent are not; else empty.
  std::string unrecorded;  ///< Likewise, of the record of decisions.
  std::string unlearned;   ///< Likewise, of what is learned.
  /// What another configuration would do, and what of it cannot be compared; empty without one.
  std::vector<std::string> shadow;
  std::string last_change;          ///< "3.2 s ago: grown 20 -> 40 points"; empty if none.
  std::optional<CpuStatus> cpu;     ///< nullopt if it is not measured.
  std::optional<MemoryRow> memory;  ///< nullopt if no limit is known.
  std::vector<SensorRow> sensors;
  std::vector<QueueRow> queues;
  std::vector<ResourceRow> resources;
  std::vector<SourceRow> sources;
  std::vector<JobRow> running;
  std::vector<JobRow> pending;
  /// Total counts, where the lists are shorter.
  std::size_t all_running = 0, all_pending = 0;
};

/// The cells of a bar of this style.
std::size_t bar_cells(const Style& style);

/// The view in parts, for callers without space for all of it. Lines may exceed the style's width.
struct HostLines {
  std::vector<std::string> state;    ///< Its state, and problems with its files.
  std::vector<std::string> window;   ///< The window, the memory, the last change.
  std::vector<std::string> sensors;  ///< One each, in order, without a title.
  /// "sensors  green: load, memory, pids"; one line each for the others.
  std::vector<std::string> sensors_in_brief;
  std::vector<std::string> rest;  ///< Queues, resource managers, sources.
};
HostLines parts_of(const HostView& view, const Style& style);

/// The first `most` of `jobs`, one line each, and a line that counts the rest of `all`; 0: no
/// limit. In lines of `width` columns (0: unbounded), ids and names are shortened before reasons
/// are cut.
std::vector<std::string> job_lines(const std::vector<HostView::JobRow>& jobs, std::size_t all,
                                   std::size_t most, std::size_t width);

/// The view as lines no longer than the style's width, jobs before the sensors. Lists at most
/// `most_jobs` jobs of each kind and counts the rest; 0: no limit.
std::vector<std::string> lines_of(const HostView& view, const Style& style, std::size_t most_jobs);

/// The same for a screen shared with the output of jobs: green sensors share one line. As many jobs
/// as `most_lines` have room for, but one of each kind at least; 0: no limit.
std::vector<std::string> brief_lines_of(const HostView& view, const Style& style,
                                        std::size_t most_lines);

}  // namespace sluice::cli
