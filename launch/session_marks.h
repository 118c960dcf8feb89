#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// What the commands of one build know from each other: files of a private folder whose times say
/// when something last happened. A build has no name of its own: ninja gives each command a
/// process group, and shells come between. So a build is what runs in one session (getsid) without
/// a longer pause. Thread-safe.
class SessionMarks {
 public:
  using Time = std::chrono::system_clock::time_point;

  /// The folder `name` of the first of `places` where it is, or can be made, and is private: a
  /// folder and no link, this user's, closed to all others. nullopt if there is none.
  static std::optional<SessionMarks> open(const std::vector<std::string>& places,
                                          const std::string& name, int session);

  SessionMarks(SessionMarks&& other) noexcept;
  SessionMarks& operator=(SessionMarks&&) = delete;
  ~SessionMarks();

  /// Whether the mark was set less than `within` before `now`.
  bool is_set(const std::string& mark, Time now, Duration within) const;
  /// Sets it. False if it was set within that time already, also by another process at this moment.
  /// The first mark of a session removes marks that are older than a day.
  bool set(const std::string& mark, Time now, Duration within);

 private:
  SessionMarks(int folder, int session) : folder_(folder), session_(session) {}
  std::string file_of(const std::string& mark) const;

  int folder_;
  int session_;
};

/// Where such a folder may be, as this process's environment and user say.
std::vector<std::string> places_of_marks();

}  // namespace sluice
