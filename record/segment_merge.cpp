#include "record/segment_merge.h"

#include <utility>
#include <vector>

#include "record/segment.h"

namespace sluice::record {
namespace {

/// Takes twice the time of `kZstdLevel`, once, and makes what is kept for days 2 to 6 % smaller.
constexpr int kMergedLevel = 6;

std::size_t size_of(const Timed& timed) {
  const auto* call = std::get_if<GovernorCall>(&timed.entry);
  return sizeof timed.at + (call ? call->bytes.size() : sizeof timed.entry);
}

class Merger {
 public:
  void add(const Dated& dated) {
    entries_.push_back({dated.at, dated.entry});
    clocks_ = {dated.at, dated.wall};
    contents_ += size_of(entries_.back());
    if (contents_ >= kBlockContents) end_block();
  }
  std::string finish() {
    if (!entries_.empty()) end_block();
    return std::move(segment_);
  }

 private:
  void end_block() {
    segment_ += linked_block_of(entries_, clocks_, history_, kMergedLevel);
    entries_.clear();
    contents_ = 0;
  }

  std::string segment_ = segment_header();
  BlockHistory history_;
  std::vector<Timed> entries_;  ///< Of the next block.
  Clocks clocks_;               ///< Of the last of them.
  std::size_t contents_ = 0;
};

}  // namespace

std::optional<std::string> merged_segment(std::string_view segment) {
  Merger merger;
  const SegmentSummary summary =
      read_segment(segment, [&](const Dated& each) { merger.add(each); });
  if (!summary.problems.empty() || summary.unknown > 0) return std::nullopt;
  return merger.finish();
}

}  // namespace sluice::record
