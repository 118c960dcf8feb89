#include "service/http/connection_places.h"

#include <algorithm>

namespace sluice::http {

Vacancy vacancy_for(PeerKind peer, const ConnectionCounts& counts) {
  if (peer == PeerKind::trusted) {
    return counts.open < counts.limit ? Vacancy::free : Vacancy::none;
  }
  const std::size_t usable = counts.limit - std::min(counts.kept, counts.limit);
  if (counts.open >= usable) return Vacancy::none;
  const std::size_t quarter = counts.limit / 4;
  const bool is_last_quarter = counts.open >= counts.limit - quarter;
  return is_last_quarter && counts.held > quarter ? Vacancy::for_other_users : Vacancy::free;
}

std::string share_sentence(std::optional<uid_t> user, const ConnectionCounts& counts) {
  const std::string holder =
      user ? "user " + std::to_string(*user) + " holds " : std::string("unknown users hold ");
  return holder + std::to_string(counts.held) + " of " + std::to_string(counts.limit) +
         " connections";
}

}  // namespace sluice::http
