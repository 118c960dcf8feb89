#include "governor/books/ranking.h"

#include <algorithm>

namespace sluice {

std::int64_t Ranking::age(TimePoint arrived, TimePoint now) const {
  return std::max<std::int64_t>(0, (now - arrived) / tick);
}

bool Ranking::is_saturated(TimePoint arrived, TimePoint now) const {
  return aging_ticks && now - arrived >= tick * *aging_ticks;
}

std::int64_t Ranking::weight(int spv, TimePoint arrived, TimePoint now) const {
  if (mode == ContentionMode::off) return 0;
  if (!aging_ticks) return spv;
  // Most jobs are new or saturated: that avoids the division.
  const Duration waited = now - arrived;
  if (waited < tick) return std::int64_t{spv} * *aging_ticks;
  return std::int64_t{spv} * std::max<std::int64_t>(0, *aging_ticks - waited / tick);
}

}  // namespace sluice
