#include "status/wall_time.h"

#include <cstdio>

namespace sluice {

Instant this_instant() { return {Clock::now(), std::chrono::system_clock::now()}; }

double age_seconds(TimePoint now, TimePoint then) {
  return static_cast<double>(
             std::chrono::duration_cast<std::chrono::milliseconds>(now - then).count()) /
         1000;
}

std::string wall_time(const Instant& instant, TimePoint then) {
  return rfc3339(instant.wall - std::chrono::duration_cast<std::chrono::system_clock::duration>(
                                    instant.now - then));
}

std::string rfc3339(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  const auto milli = floor<milliseconds>(time);
  const auto day = floor<days>(milli);
  const year_month_day date(day);
  const hh_mm_ss clock(milli - day);
  char text[40];
  const int length = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                                   int(date.year()), unsigned(date.month()), unsigned(date.day()),
                                   int(clock.hours().count()), int(clock.minutes().count()),
                                   int(clock.seconds().count()), int(clock.subseconds().count()));
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace sluice
