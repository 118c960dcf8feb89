#include "governor/books/strand.h"

#include <functional>

namespace sluice {
namespace {

void mix(std::size_t& hash, std::uint64_t value) {
  hash ^= std::hash<std::uint64_t>{}(value)*0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
}

}  // namespace

std::size_t StrandHash::operator()(const StrandKey& key) const {
  std::size_t hash = key.shape;
  mix(hash, std::uint64_t{key.queue} << 32 | static_cast<std::uint32_t>(key.priority));
  mix(hash, std::uint64_t{key.needs} << 32 | key.limits);
  mix(hash, key.cold_hits);
  mix(hash, key.alone << 2 | static_cast<std::uint64_t>(key.parked));
  for (const std::uint32_t use : key.hot) mix(hash, use);
  return hash;
}

}  // namespace sluice
