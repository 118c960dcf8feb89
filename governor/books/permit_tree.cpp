#include "governor/books/permit_tree.h"

#include <algorithm>

namespace sluice {

Points PermitTree::growth(std::optional<Place> parent, Points points) const {
  Points more = points;
  for (Place at = parent.value_or(kNone); at != kNone; at = nodes_[at].parent) {
    const Node& node = nodes_[at];
    more = std::max(Points{0}, more - (node.used() - node.inner));
  }
  return more;
}

Points PermitTree::room(Place parent) const {
  Points room;
  for (Place at = parent; at != kNone; at = nodes_[at].parent) {
    room += nodes_[at].used() - nodes_[at].inner;
  }
  return room;
}

void PermitTree::add(Place place, const std::optional<Place>& parent, Points points) {
  if (nodes_.size() <= place) nodes_.resize(place + 1);
  // Field by field: reading back a node that was just written would wait for its stores.
  Node& node = nodes_[place];
  node.own = points;
  node.inner = Points{0};
  node.parent = parent.value_or(kNone);
  node.children = 0;
  node.in_use = true;
  if (parent) {
    ++nested_;
    ++nodes_[*parent].children;
  }
  change(node.parent, points);
}

void PermitTree::set(Place place, Points points) {
  Node& node = nodes_[place];
  const Points before = node.used();
  node.own = points;
  change(node.parent, node.used() - before);
}

void PermitTree::remove(Place place) {
  Node& node = nodes_[place];
  const Place parent = node.parent;
  if (parent != kNone) {
    --nested_;
    nodes_[parent].children += node.children;
    --nodes_[parent].children;
  }
  if (node.children > 0) {
    if (parent == kNone) nested_ -= node.children;
    for (Node& child : nodes_) {
      if (child.in_use && child.parent == place) child.parent = parent;
    }
  }
  const Points freed = node.used() - node.inner;
  node = {};
  change(parent, Points{0} - freed);
}

void PermitTree::change(Place parent, Points by) {
  Points change = by;
  for (Place at = parent; at != kNone; at = nodes_[at].parent) {
    Node& node = nodes_[at];
    const Points before = node.used();
    node.inner += change;
    change = node.used() - before;
  }
  usage_ += change;
}

}  // namespace sluice
