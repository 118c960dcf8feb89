#include "service/protocol/declared_size.h"

namespace sluice {

std::size_t elements_of(const std::vector<LevelLocks>& locks) {
  std::size_t elements = locks.size();
  for (const LevelLocks& level : locks) elements += level.shared.size() + level.exclusive.size();
  return elements;
}

std::size_t elements_of(const JobRequest& request) {
  const std::size_t locks = request.locks ? elements_of(*request.locks) : 0;
  return locks + request.params.size() + request.reasons.size() + request.resources.size() +
         request.after.size();
}

}  // namespace sluice
