#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/user_folder.h"
#include "sluice/units.h"

namespace sluice {

/// Marks that the commands of one build leave for each other: files of a private folder whose mtime
/// says when something last happened. A build has no name of its own: ninja gives each command a
/// process group, and shells come between. So a build is what runs in one session (getsid) without
/// a longer pause. Thread-safe.
class SessionMarks {
 public:
  using Time = std::chrono::system_clock::time_point;

  /// The folder `name` of the first of `places` where it is, or can be made, and is private: a
  /// folder, not a link, this user's, closed to all others. nullopt if there is none.
  static std::optional<SessionMarks> open(const std::vector<std::string>& places,
                                          const std::string& name, int session);

  /// Whether the mark was set less than `within` before `now`.
  bool is_set(const std::string& mark, Time now, Duration within) const;
  /// Sets the mark to `now`. False if it was set within that time already, or another process sets
  /// it at this moment; true if its file cannot be opened.
  /// The first mark of a session removes marks that are older than a day.
  bool set(const std::string& mark, Time now, Duration within);

 private:
  SessionMarks(PrivateFolder folder, int session) : folder_(std::move(folder)), session_(session) {}
  std::string file_of(const std::string& mark) const;

  PrivateFolder folder_;
  int session_;
};

/// Candidates for `places`, best first: $XDG_RUNTIME_DIR and $TMPDIR if they are absolute paths,
/// then /tmp and /dev/shm.
std::vector<std::string> places_of_marks();

}  // namespace sluice
