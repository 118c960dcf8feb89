// When preloaded, it shifts the wall clock of one process at any time, by the whole seconds in the
// file named by SLUICE_CHAOS_CLOCK. libfaketime can do so too, but also shifts absolute timers of
// the monotonic clock, which then never expire.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace {

/// Seconds, little-endian; null for no shift.
const volatile std::int64_t* map_shift() {
  const char* path = std::getenv("SLUICE_CHAOS_CLOCK");
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return nullptr;
  void* page = mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return page == MAP_FAILED ? nullptr : static_cast<const volatile std::int64_t*>(page);
}

std::int64_t shift() {
  static const volatile std::int64_t* const shared = map_shift();
  return shared ? *shared : 0;
}

using ClockGettime = int (*)(clockid_t, timespec*);

ClockGettime next_clock_gettime() {
  static const auto next = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
  return next;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* into) {
  const int status = next_clock_gettime()(clock, into);
  const bool is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (status == 0 && is_wall) into->tv_sec += shift();
  return status;
}

extern "C" int gettimeofday(timeval* __restrict into, void* __restrict) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  into->tv_sec = now.tv_sec;
  into->tv_usec = now.tv_nsec / 1000;
  return 0;
}

extern "C" time_t time(time_t* into) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}
