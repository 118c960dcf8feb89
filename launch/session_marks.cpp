#include "launch/session_marks.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace sluice {
namespace {

using Time = SessionMarks::Time;

Time changed(const struct stat& file) {
  const auto since_epoch =
      std::chrono::seconds(file.st_mtim.tv_sec) + std::chrono::nanoseconds(file.st_mtim.tv_nsec);
  return Time(std::chrono::duration_cast<Time::duration>(since_epoch));
}

timespec as_timespec(Time time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  const auto rest =
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch() - whole);
  return {static_cast<time_t>(whole.count()), static_cast<long>(rest.count())};
}

/// A time in the future was left by a clock that was set back; but another process may have set it
/// since this one read the clock.
bool is_within(const struct stat& file, Time now, Duration within) {
  constexpr auto kMeanwhile = std::chrono::seconds(1);
  const Time at = changed(file);
  return at <= now + kMeanwhile && now - at < within;
}

/// None if it is not this user's alone.
Descriptor open_private_folder(const std::string& path) {
  mkdir(path.c_str(), S_IRWXU);
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  const bool is_ours = fstat(folder.get(), &facts) == 0 && facts.st_uid == geteuid() &&
                       (facts.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return is_ours ? std::move(folder) : Descriptor();
}

/// Removes the marks of sessions that have long ended. `folder` stays open.
void remove_old_marks(int folder, Time now) {
  constexpr auto kOld = std::chrono::hours(24);
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = again >= 0 ? fdopendir(again) : nullptr;
  if (!entries) return;
  while (const dirent* entry = readdir(entries)) {
    struct stat facts {};
    const bool is_mark =
        fstatat(folder, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode);
    if (is_mark && !is_within(facts, now, kOld)) unlinkat(folder, entry->d_name, 0);
  }
  closedir(entries);
}

}  // namespace

std::optional<SessionMarks> SessionMarks::open(const std::vector<std::string>& places,
                                               const std::string& name, int session) {
  for (const std::string& place : places) {
    Descriptor folder = open_private_folder(place + "/" + name);
    if (folder) return SessionMarks(std::move(folder), session);
  }
  return std::nullopt;
}

std::string SessionMarks::file_of(const std::string& mark) const {
  return mark + "-" + std::to_string(session_);
}

bool SessionMarks::is_set(const std::string& mark, Time now, Duration within) const {
  struct stat facts {};
  return fstatat(folder_.get(), file_of(mark).c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
         is_within(facts, now, within);
}

bool SessionMarks::set(const std::string& mark, Time now, Duration within) {
  const std::string name = file_of(mark);
  const int made = openat(folder_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          S_IRUSR | S_IWUSR);
  const Descriptor file(
      made >= 0 ? made : openat(folder_.get(), name.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return true;
  struct stat facts {};
  // Another process that holds the lock sets it at this moment.
  const bool first =
      made >= 0 || (flock(file.get(), LOCK_EX | LOCK_NB) == 0 && fstat(file.get(), &facts) == 0 &&
                    !is_within(facts, now, within));
  const timespec time = as_timespec(now);
  const timespec times[2] = {time, time};
  futimens(file.get(), times);
  if (made >= 0) remove_old_marks(folder_.get(), now);
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
