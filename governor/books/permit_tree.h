#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// The points of running jobs, some of which work on another job's permit: a job's children need no
/// points beyond those that it holds while it waits for them.
///
///   in use by a job = max(its own points, what its children use together)
///   in use          = the sum over the jobs that have no parent
///
/// Pure bookkeeping by place, which the caller assigns. Allocates only for a place larger than all
/// before. Not thread-safe.
class PermitTree {
 public:
  using Place = std::uint32_t;

  /// In use by all jobs.
  Points usage() const { return usage_; }
  /// The number of jobs that are children.
  std::size_t nested() const { return nested_; }

  /// By how much `usage` grows with a child of `parent`, which must exist; without a parent, by all
  /// of `points`.
  Points growth(std::optional<Place> parent, Points points) const;
  /// The most points with which a child of `parent` starts without growth; at least 1 while it has
  /// no children.
  Points room(Place parent) const;
  bool has_children(Place place) const { return nodes_[place].children > 0; }
  std::optional<Place> parent(Place place) const {
    const Place parent = nodes_[place].parent;
    return parent == kNone ? std::nullopt : std::optional(parent);
  }

  /// `place` must be free, `parent` taken; `points` >= 1.
  void add(Place place, const std::optional<Place>& parent, Points points);
  /// Changes the points of a job that runs; `points` >= 1. `usage` may exceed any bound.
  void set(Place place, Points points);
  /// Its children become its parent's, or roots if there is no parent. `usage` does not grow.
  void remove(Place place);

 private:
  static constexpr Place kNone = ~Place{0};

  struct Node {
    Points own, inner;  ///< `inner`: in use by its children.
    Place parent = kNone;
    std::uint32_t children = 0;
    bool in_use = false;

    Points used() const { return own < inner ? inner : own; }
  };

  /// The children of `parent` use more or less, `by` this much.
  void change(Place parent, Points by);

  std::vector<Node> nodes_;
  Points usage_;
  std::size_t nested_ = 0;
};

}  // namespace sluice
