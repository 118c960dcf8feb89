#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// Jobs in order of arrival, whose places are known without walking the line: a Fenwick tree
/// ("A new data structure for cumulative frequency tables", 1994) counts those that are still
/// there. Append is O(log n) at worst, the rest O(log n); what has left is swept away when it is
/// more than what is there.
class ArrivalLine {
 public:
  /// `id` must be larger than all that were ever appended.
  void append(JobId id);
  void remove(JobId id);

  /// 1 for the first. The job must be there.
  std::size_t place(JobId id) const;
  /// The line must not be empty.
  JobId first() const;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Calls `visit(id)` for every job in order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t at = 0; at < ids_.size(); ++at) {
      if (there_[at]) visit(ids_[at]);
    }
  }

 private:
  std::size_t index(JobId id) const;
  void sweep();

  std::vector<JobId> ids_;
  std::vector<bool> there_;
  std::vector<std::uint32_t> tree_;  ///< tree_[i - 1] counts what is there in (i - lowbit(i), i].
  std::size_t size_ = 0;
};

}  // namespace sluice
