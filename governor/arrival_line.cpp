#include "governor/arrival_line.h"

#include <algorithm>
#include <bit>

namespace sluice {
namespace {

/// A line this short is not worth sweeping.
constexpr std::size_t kSweepFrom = 64;

constexpr std::size_t lowbit(std::size_t i) { return i & (~i + 1); }

}  // namespace

void ArrivalLine::append(JobId id) {
  ids_.push_back(id);
  there_.push_back(true);
  const std::size_t i = ids_.size();
  std::uint32_t count = 1;
  for (std::size_t step = 1; step < lowbit(i); step <<= 1) count += tree_[i - step - 1];
  tree_.push_back(count);
  ++size_;
}

void ArrivalLine::remove(JobId id) {
  const std::size_t at = index(id);
  there_[at] = false;
  --size_;
  for (std::size_t i = at + 1; i <= tree_.size(); i += lowbit(i)) --tree_[i - 1];
  if (ids_.size() >= kSweepFrom && size_ * 2 < ids_.size()) sweep();
}

std::size_t ArrivalLine::place(JobId id) const {
  std::size_t count = 0;
  for (std::size_t i = index(id) + 1; i > 0; i -= lowbit(i)) count += tree_[i - 1];
  return count;
}

JobId ArrivalLine::first() const {
  // Down the tree: the longest prefix with nobody there ends right before the first.
  std::size_t at = 0;
  for (std::size_t step = std::bit_floor(tree_.size()); step > 0; step >>= 1) {
    if (at + step <= tree_.size() && tree_[at + step - 1] == 0) at += step;
  }
  return ids_[at];
}

std::size_t ArrivalLine::index(JobId id) const {
  return static_cast<std::size_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin());
}

void ArrivalLine::sweep() {
  std::vector<JobId> left;
  left.reserve(size_);
  for_each([&](JobId id) { left.push_back(id); });
  *this = ArrivalLine();
  for (const JobId id : left) append(id);
}

}  // namespace sluice
