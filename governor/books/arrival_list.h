#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sluice {

/// Jobs in order of arrival, in chunks of a few hundred. Nearly all inserts are appends; inserting
/// and erasing elsewhere costs a binary search and a short move. Takes about 16 bytes a job, less
/// than any balanced tree, and finds positions without walking.
class ArrivalList {
 public:
  struct Item {
    std::uint64_t arrival = 0;  ///< Unique.
    std::uint32_t slot = 0;
  };

  /// A position in the list; valid until the list changes.
  struct Cursor {
    std::size_t chunk = 0, at = 0;
  };

  void insert(Item item) {
    if (chunks_.empty() || (item.arrival > back().arrival && chunks_.back().size() == kChunk)) {
      chunks_.emplace_back();
    }
    const std::size_t chunk = chunks_.back().empty() ? chunks_.size() - 1 : chunk_for(item.arrival);
    auto& items = chunks_[chunk];
    if (items.empty() || item.arrival > items.back().arrival) {
      items.push_back(item);
    } else {
      items.insert(place_in(items, item.arrival), item);
    }
    ++size_;
    if (items.size() > kChunk) split(chunk);
  }

  /// The item must exist.
  void erase(std::uint64_t arrival) {
    const std::size_t chunk = chunk_for(arrival);
    auto& items = chunks_[chunk];
    items.erase(place_in(items, arrival));
    --size_;
    if (items.empty()) chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(chunk));
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Item& front() const { return chunks_.front().front(); }
  const Item& back() const { return chunks_.back().back(); }

  Cursor begin() const { return {}; }
  bool at_end(Cursor cursor) const { return cursor.chunk == chunks_.size(); }
  const Item& at(Cursor cursor) const { return chunks_[cursor.chunk][cursor.at]; }
  Cursor next(Cursor cursor) const {
    return cursor.at + 1 < chunks_[cursor.chunk].size() ? Cursor{cursor.chunk, cursor.at + 1}
                                                        : Cursor{cursor.chunk + 1, 0};
  }

  /// nullopt: the cursor is at the first item.
  std::optional<Cursor> previous(Cursor cursor) const {
    if (cursor.at > 0) return Cursor{cursor.chunk, cursor.at - 1};
    if (cursor.chunk == 0) return std::nullopt;
    return Cursor{cursor.chunk - 1, chunks_[cursor.chunk - 1].size() - 1};
  }

  /// The first item for which `holds` is false; `holds` must be true for a prefix of the list only.
  template <typename Holds>
  Cursor partition_point(Holds holds) const {
    const auto chunk = std::partition_point(chunks_.begin(), chunks_.end(),
                                            [&](const auto& items) { return holds(items.back()); });
    const auto number = static_cast<std::size_t>(chunk - chunks_.begin());
    if (chunk == chunks_.end()) return {number, 0};
    const auto item = std::partition_point(chunk->begin(), chunk->end(), holds);
    return {number, static_cast<std::size_t>(item - chunk->begin())};
  }

  /// The number of items before the cursor. Linear in chunks.
  std::size_t count_before(Cursor cursor) const {
    std::size_t count = cursor.at;
    for (std::size_t chunk = 0; chunk < cursor.chunk; ++chunk) count += chunks_[chunk].size();
    return count;
  }

 private:
  using Chunk = std::vector<Item>;
  static constexpr std::size_t kChunk = 256;

  static Chunk::iterator place_in(Chunk& items, std::uint64_t arrival) {
    return std::partition_point(items.begin(), items.end(),
                                [&](const Item& item) { return item.arrival < arrival; });
  }

  /// The chunk that holds the arrival, or where it would be inserted.
  std::size_t chunk_for(std::uint64_t arrival) const {
    const auto chunk =
        std::partition_point(chunks_.begin(), chunks_.end(),
                             [&](const Chunk& items) { return items.back().arrival < arrival; });
    return chunk == chunks_.end() ? chunks_.size() - 1
                                  : static_cast<std::size_t>(chunk - chunks_.begin());
  }

  void split(std::size_t chunk) {
    auto& items = chunks_[chunk];
    const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
    Chunk second(middle, items.end());
    items.erase(middle, items.end());
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(chunk) + 1, std::move(second));
  }

  std::vector<Chunk> chunks_;  ///< None is empty, except the last one during `insert`.
  std::size_t size_ = 0;
};

}  // namespace sluice
