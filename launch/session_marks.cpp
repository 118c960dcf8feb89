#include "launch/session_marks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <variant>

#include "base/folder.h"
#include "base/seconds.h"

namespace sluice {
namespace {

using Time = SessionMarks::Time;

/// A time in the future was left by a clock that was set back; but another process may have set it
/// since this one read the clock.
bool is_within(const struct stat& file, Time now, Duration within) {
  constexpr auto kMeanwhile = std::chrono::seconds(1);
  const Time at(duration_of(file.st_mtim));
  return at <= now + kMeanwhile && now - at < within;
}

/// Removes the marks of sessions that have long ended. `folder` stays open.
void remove_old_marks(int folder, Time now) {
  constexpr auto kOld = std::chrono::hours(24);
  for (const std::string& name : names_in_folder(folder)) {
    struct stat facts {};
    const bool is_mark =
        fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode);
    if (is_mark && !is_within(facts, now, kOld)) unlinkat(folder, name.c_str(), 0);
  }
}

}  // namespace

std::optional<SessionMarks> SessionMarks::open(const std::vector<std::string>& places,
                                               const std::string& name, int session) {
  for (const std::string& place : places) {
    auto opened = PrivateFolder::open(place + "/" + name);
    auto* folder = std::get_if<PrivateFolder>(&opened);
    if (folder) return SessionMarks(std::move(*folder), session);
  }
  return std::nullopt;
}

std::string SessionMarks::file_of(const std::string& mark) const {
  return mark + "-" + std::to_string(session_);
}

bool SessionMarks::is_set(const std::string& mark, Time now, Duration within) const {
  struct stat facts {};
  return fstatat(folder_.descriptor(), file_of(mark).c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
         is_within(facts, now, within);
}

bool SessionMarks::set(const std::string& mark, Time now, Duration within) {
  const std::string name = file_of(mark);
  const int folder = folder_.descriptor();
  const int made = openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const Descriptor file(
      made >= 0 ? made : openat(folder, name.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return true;
  struct stat facts {};
  // Another process that holds the lock sets it at this moment.
  const bool first =
      made >= 0 || (flock(file.get(), LOCK_EX | LOCK_NB) == 0 && fstat(file.get(), &facts) == 0 &&
                    !is_within(facts, now, within));
  const timespec time = timespec_of(now.time_since_epoch());
  const timespec times[2] = {time, time};
  futimens(file.get(), times);
  if (made >= 0) remove_old_marks(folder, now);
  return first;
}

std::vector<std::string> places_of_marks() {
  std::vector<std::string> places;
  for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* place = std::getenv(name);
    if (place && *place == '/') places.emplace_back(place);
  }
  places.insert(places.end(), {"/tmp", "/dev/shm"});
  return places;
}

}  // namespace sluice
