#include "record/segment_writer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/descriptors.h"
#include "base/errno_text.h"

namespace sluice::record {
namespace {

/// The oldest segment goes as a whole, so each is a small part of all.
constexpr std::uint64_t kSegments = 16;
constexpr std::uint64_t kMostSegment = std::uint64_t{16} << 20;
/// Those of linked blocks are merged as they end: that takes memory, and the writing thread's time.
constexpr std::uint64_t kMostLinked = std::uint64_t{2} << 20;
constexpr Duration kLongestSegment = std::chrono::hours(24);
constexpr Duration kClockInDoubt = std::chrono::hours(1);

}  // namespace

SegmentWriter::SegmentWriter(RecordFolder folder, const Limits& limits, SegmentStart start,
                             Blocks blocks)
    : folder_(std::move(folder)),
      limits_(limits),
      start_(std::move(start)),
      blocks_(blocks),
      ended_(folder_.segments()) {
  for (const SegmentFile& each : ended_) others_ += each.bytes;
  if (ended_.empty()) return;
  number_ = ended_.back().number;
  last_write_ = ended_.back().modified;
  folder_.discard(number_);  // Of a daemon that was killed as it merged it.
}

std::optional<std::string> SegmentWriter::append(std::vector<Timed> entries, const Clocks& now) {
  observe_clock(now);
  if (is_due(now)) {
    if (auto problem = begin_segment(now)) return problem;
    entries.insert(entries.begin(), Timed{now.now, start_});
  }
  const std::string block =
      blocks_ == Blocks::linked ? linked_block_of(entries, now, history_) : block_of(entries, now);
  make_room(block.size(), now);
  const bool is_first = size_ == segment_header().size();
  auto problem = write_out(block);
  if (!is_first) return problem;
  // Readers never see a segment without a block.
  if (!problem) problem = folder_.publish(number_);
  if (problem) folder_.discard(number_);
  return problem;
}

bool SegmentWriter::is_due(const Clocks& now) const {
  if (!file_) return true;
  const std::uint64_t most = blocks_ == Blocks::linked ? kMostLinked : kMostSegment;
  return size_ >= std::min(limits_.size.value / kSegments, most) ||
         now.now - began_ >= std::min(limits_.age / 7, kLongestSegment);
}

std::optional<std::string> SegmentWriter::begin_segment(const Clocks& now) {
  end_segment();
  auto created = folder_.create(number_ + 1);
  if (auto* problem = std::get_if<std::string>(&created)) return std::move(*problem);
  file_ = std::move(std::get<Descriptor>(created));
  ++number_;
  history_.clear();
  began_ = now.now;
  const auto problem = write_out(segment_header());
  if (problem) folder_.discard(number_);
  return problem;
}

void SegmentWriter::end_segment() {
  if (!file_) return;
  struct stat facts {};
  fstat(file_.get(), &facts);
  file_.reset();
  const Duration since = std::chrono::seconds(facts.st_mtim.tv_sec);
  ended_.push_back({number_, size_, WallTime(since)});
  others_ += std::exchange(size_, 0);
  if (blocks_ == Blocks::linked) merge_last();
}

/// Writes the last ended segment in fewer blocks. A segment that cannot be merged stays.
void SegmentWriter::merge_last() {
  SegmentFile& last = ended_.back();
  const auto contents = folder_.read(last.number);
  if (contents.index() != 0) return;
  const auto merged = merged_segment(std::get<0>(contents));
  if (!merged || merged->size() >= last.bytes || folder_.replace(last, *merged)) return;
  others_ -= last.bytes - merged->size();
  last.bytes = merged->size();
}

/// A block is there as a whole or not at all.
std::optional<std::string> SegmentWriter::write_out(const std::string& bytes) {
  const std::size_t written = write_all(file_.get(), bytes);
  if (written < bytes.size()) {
    std::string problem = errno_text(folder_.path_of(number_));
    // If this fails too, readers skip the part.
    if (ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) size_ += written;
    return problem;
  }
  size_ += bytes.size();
  struct stat facts {};
  if (fstat(file_.get(), &facts) == 0 && facts.st_nlink == 0) {
    return folder_.path_of(number_) + " was removed";
  }
  return std::nullopt;
}

void SegmentWriter::observe_clock(const Clocks& now) {
  const bool jumped = last_write_ && *last_write_ + limits_.age < now.wall;
  if (jumped) in_doubt_until_ = now.now + kClockInDoubt;
  last_write_ = now.wall;
}

void SegmentWriter::make_room(std::uint64_t bytes, const Clocks& now) {
  const auto is_too_much = [&] { return others_ + size_ + bytes > limits_.size.value; };
  const auto is_too_old = [&] {
    return now.now >= in_doubt_until_ && ended_.front().modified + limits_.age < now.wall;
  };
  while (!ended_.empty() && (is_too_much() || is_too_old())) {
    folder_.remove(ended_.front().number);
    others_ -= ended_.front().bytes;
    ended_.erase(ended_.begin());
  }
}

}  // namespace sluice::record
