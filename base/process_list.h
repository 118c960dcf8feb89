#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/descriptors.h"
#include "base/process_table.h"
#include "sluice/units.h"

namespace sluice {

/// The most descriptors that a ProcessList keeps, where `limit` may be open. Pure.
std::size_t most_kept_processes(std::uint64_t limit);

/// The number of the newest process at three listings in a row; nullopt where it is not known.
struct NewestProcesses {
  std::optional<pid_t> now, last, earlier;

  /// Whether numbers have started over since the last listing, so that others may have got any.
  bool start_over() const { return now && last && *now < *last; }
  /// Every process that has begun since the last listing has a higher number than this; nullopt if
  /// it may have any. It is the newest of the listing before that, since a process has its number
  /// for a moment before it can be seen. Pure.
  std::optional<pid_t> below_new() const;
};

/// Every visible process, for callers that read them many times a second and mind a few. Most of a
/// full reading goes to processes of others, which hardly change: these are listed and read again
/// every four seconds only. The files of those minded stay open in between. Not thread-safe.
class ProcessList {
 public:
  ProcessList();

  /// Every visible process, in no order. Those in `followed`, those that began in the last four
  /// seconds and zombies are as of now; of others parent, group, session and figures are at most
  /// four seconds old, and one that has ended may be listed for as long.
  std::vector<ProcessFacts> read(const std::vector<pid_t>& followed, TimePoint now);
  /// The next call reads all of them.
  void forget() { known_.clear(); }

 private:
  struct Known {
    std::optional<ProcessFacts> facts;  ///< nullopt: to be read.
    Descriptor stat;                    ///< Kept while it is followed, if there are enough.
    bool is_followed = false;
    bool is_new = false;  ///< It has begun since all were read: it may be of a job.
  };

  std::optional<pid_t> newest_process() const;
  void list(TimePoint now);
  void take_all(const std::vector<pid_t>& listed);
  void update(pid_t pid, Known& known);

  std::map<pid_t, Known> known_;
  std::size_t kept_ = 0;  ///< Descriptors of `known_`.
  Descriptor loadavg_;    ///< None if it cannot be relied on.
  NewestProcesses newest_;
  TimePoint whole_at_;  ///< When all were read.
};

}  // namespace sluice
