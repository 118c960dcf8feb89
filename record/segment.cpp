#include "record/segment.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/text.h"
#include "base/varint.h"
#include "record/codec.h"

namespace sluice::record {
namespace {

constexpr std::string_view kSegmentMagic = kRecordMagic;
constexpr std::string_view kBlockMagic = "SRB1";
constexpr std::string_view kLinkedMagic = "SRB2";
constexpr std::size_t kHeaderBytes = 14;
constexpr std::size_t kBlockHeaderBytes = 12;

/// Bounds for what a damaged block may ask for.
constexpr std::uint64_t kMostContents = 8 * kBlockContents;

/// A segment with so many problems is not worth more.
constexpr std::size_t kMostProblems = 100;

/// Contents of earlier blocks that a linked one is compressed by, at most.
constexpr std::size_t kMostHistory = std::size_t{64} << 10;

/// Less is drift, and what lies between two readings of the clocks.
constexpr Duration kClockJump = std::chrono::seconds(1);

/// Takes twice the time of `kZstdLevel`, once, and makes what is kept for days 2 to 6 % smaller.
constexpr int kMergedLevel = 6;

void append_u32(std::string& out, std::size_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((number >> shift) & 0xff);
}

std::uint32_t u32_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t byte = 0; byte < 4; ++byte) {
    number |= std::uint32_t{static_cast<unsigned char>(bytes[at + byte])} << (8 * byte);
  }
  return number;
}

std::string compressed(std::string_view contents, std::string_view before, int level) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_refPrefix(context.get(), before.data(), before.size());
  std::string out(ZSTD_compressBound(contents.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context.get(), out.data(), out.size(), contents.data(), contents.size());
  if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

std::optional<std::string> decompressed(std::string_view frame, std::string_view before,
                                        ZSTD_DCtx* context) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size > kMostContents) return std::nullopt;  // Unknown and wrong are even larger.
  std::string contents(size, '\0');
  ZSTD_DCtx_refPrefix(context, before.data(), before.size());
  const std::size_t got =
      ZSTD_decompressDCtx(context, contents.data(), contents.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) || got != size) return std::nullopt;
  return contents;
}

/// The contents of one block.
struct Block {
  Clocks clocks;
  std::vector<Timed> entries;
  std::size_t unknown = 0;
};

std::optional<Block> parse_block(std::string_view contents, std::uint32_t count) {
  std::string_view rest = contents;
  const auto wall = cut_signed_varint(rest);
  const auto now = cut_signed_varint(rest);
  if (!wall || !now) return std::nullopt;
  const auto nanoseconds = [](std::int64_t micros) {
    return Duration(static_cast<std::int64_t>(static_cast<std::uint64_t>(micros) * 1000U));
  };
  Block block;
  block.clocks = {TimePoint(nanoseconds(*now)), WallTime(nanoseconds(*wall))};
  TimePoint at = block.clocks.now;
  while (!rest.empty()) {
    auto entry = cut_entry(rest, at);
    if (std::holds_alternative<BadEntry>(entry)) return std::nullopt;
    if (auto* known = std::get_if<Entry>(&entry)) {
      block.entries.push_back({at, std::move(*known)});
    } else {
      ++block.unknown;
    }
  }
  if (block.entries.size() + block.unknown != count) return std::nullopt;
  return block;
}

std::string contents_of(std::span<const Timed> entries, const Clocks& clocks) {
  std::string contents;
  append_signed_varint(contents, micros(clocks.wall.time_since_epoch()));
  append_signed_varint(contents, micros(clocks.now.time_since_epoch()));
  TimePoint before = clocks.now;
  for (const Timed& each : entries) {
    append_entry(contents, before, each.at, each.entry);
    before = each.at;
  }
  return contents;
}

std::string block(std::string_view magic, std::size_t entries, std::string_view frame) {
  std::string block(magic);
  append_u32(block, frame.size());
  append_u32(block, entries);
  return block + std::string(frame);
}

/// Whatever damage has made of the times, their difference does not overflow.
Duration apart(auto later, auto earlier) {
  return Duration(
      static_cast<std::int64_t>(static_cast<std::uint64_t>(later.time_since_epoch().count()) -
                                static_cast<std::uint64_t>(earlier.time_since_epoch().count())));
}

class SegmentReader {
 public:
  SegmentReader(std::string_view bytes, const OnEntry& each) : bytes_(bytes), each_(each) {}

  SegmentSummary read() {
    if (!decompressor_) throw std::bad_alloc();
    if (!has_header()) return std::move(summary_);
    std::size_t at = kHeaderBytes;
    while (at < bytes_.size() && summary_.problems.size() < kMostProblems) {
      const std::size_t next = read_block(at);
      at = next > at ? next : skip_damage(at);
    }
    if (at < bytes_.size()) add_damage("too much damage; the rest is skipped");
    return std::move(summary_);
  }

 private:
  bool has_header() {
    if (kSegmentMagic != bytes_.substr(0, kSegmentMagic.size())) {
      const bool is_cut = kSegmentMagic.starts_with(bytes_);
      add_damage(is_cut ? "truncated within its header" : "not a Sluice record");
      return false;
    }
    if (bytes_.size() < kHeaderBytes) {
      add_damage("truncated within its header");
      return false;
    }
    const std::uint32_t version = u32_at(bytes_, kSegmentMagic.size());
    if (version == kFormatVersion) return true;
    add_damage("it has format version " + std::to_string(version) +
               ", and this Sluice reads version " + std::to_string(kFormatVersion));
    return false;
  }

  /// Returns where the block ends; `at` if there is no whole block.
  std::size_t read_block(std::size_t at) {
    const std::string_view rest = bytes_.substr(at);
    const bool is_linked = rest.starts_with(kLinkedMagic);
    if (!is_linked && !rest.starts_with(kBlockMagic)) return at;
    if (rest.size() < kBlockHeaderBytes) return at;
    const std::size_t length = u32_at(rest, 4);
    if (length > rest.size() - kBlockHeaderBytes) return at;
    const auto contents = decompressed(rest.substr(kBlockHeaderBytes, length),
                                       is_linked ? history_.contents() : "", decompressor_.get());
    const auto block = contents ? parse_block(*contents, u32_at(rest, 8)) : std::nullopt;
    if (!block) return at;
    if (is_linked) history_.add(*contents);
    heed_clocks(block->clocks);
    for (const Timed& each : block->entries) pass_on(each, block->clocks);
    ++summary_.blocks;
    summary_.whole_bytes = at + kBlockHeaderBytes + length;
    summary_.entries += block->entries.size() + block->unknown;
    summary_.unknown += block->unknown;
    return summary_.whole_bytes;
  }

  void heed_clocks(const Clocks& clocks) {
    if (summary_.last_clocks) {
      std::string change = clock_change(*summary_.last_clocks, clocks);
      if (!change.empty()) summary_.problems.push_back(std::move(change));
    }
    summary_.last_clocks = clocks;
  }

  void pass_on(const Timed& timed, const Clocks& clocks) {
    const auto since = static_cast<std::uint64_t>(clocks.wall.time_since_epoch().count());
    const auto wall = WallTime(Duration(static_cast<std::int64_t>(
        since + static_cast<std::uint64_t>(apart(timed.at, clocks.now).count()))));
    const auto* start = std::get_if<SegmentStart>(&timed.entry);
    if (start) summary_.start = *start;
    if (const auto* gap = std::get_if<Gap>(&timed.entry)) summary_.lost += gap->lost;
    // A segment starts when it is first written, which is after the first of its entries.
    if (!summary_.first || (is_after_start_ && wall < *summary_.first)) summary_.first = wall;
    is_after_start_ = start != nullptr;
    summary_.last = wall;
    each_({timed.at, wall, timed.entry});
  }

  void add_damage(std::string problem) {
    summary_.problems.push_back(std::move(problem));
    summary_.is_whole = false;
  }

  /// Returns where the next block may begin.
  std::size_t skip_damage(std::size_t at) {
    const std::size_t next =
        std::min(bytes_.find(kBlockMagic, at + 1), bytes_.find(kLinkedMagic, at + 1));
    if (next == bytes_.npos) {
      add_damage("its last " + std::to_string(bytes_.size() - at) +
                 " bytes are truncated or damaged");
      return bytes_.size();
    }
    const std::string block = "a block at byte " + std::to_string(at) + " is damaged";
    if (bytes_.substr(next).starts_with(kLinkedMagic)) {
      add_damage(block + ", and without it the rest cannot be read");
      return bytes_.size();
    }
    add_damage(block);
    return next;
  }

  std::string_view bytes_;
  const OnEntry& each_;
  BlockHistory history_;
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> decompressor_{ZSTD_createDCtx(),
                                                                           ZSTD_freeDCtx};
  SegmentSummary summary_;
  bool is_after_start_ = false;  ///< The last entry is the segment's start.
};

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

Clocks clocks_now() { return {Clock::now(), std::chrono::system_clock::now()}; }

std::string segment_header() {
  std::string header(kSegmentMagic);
  append_u32(header, kFormatVersion);
  return header;
}

void BlockHistory::add(std::string_view block) {
  contents_ += block;
  if (contents_.size() > kMostHistory) contents_.erase(0, contents_.size() - kMostHistory);
}

std::string block_of(std::span<const Timed> entries, const Clocks& clocks) {
  return block(kBlockMagic, entries.size(),
               compressed(contents_of(entries, clocks), "", kZstdLevel));
}

std::string linked_block_of(std::span<const Timed> entries, const Clocks& clocks,
                            BlockHistory& before, int level) {
  const std::string contents = contents_of(entries, clocks);
  const std::string frame = compressed(contents, before.contents(), level);
  before.add(contents);
  return block(kLinkedMagic, entries.size(), frame);
}

SegmentSummary read_segment(std::string_view bytes, const OnEntry& each) {
  return SegmentReader(bytes, each).read();
}

std::optional<std::string> merged_segment(std::string_view segment) {
  Merger merger;
  const SegmentSummary summary =
      read_segment(segment, [&](const Dated& each) { merger.add(each); });
  if (!summary.problems.empty() || summary.unknown > 0) return std::nullopt;
  return merger.finish();
}

std::string clock_change(const Clocks& before, const Clocks& after) {
  const Duration passed = apart(after.now, before.now);
  if (passed < Duration{0}) return "its monotonic clock went back";
  const auto ahead = static_cast<std::uint64_t>(apart(after.wall, before.wall).count());
  const Duration by(static_cast<std::int64_t>(ahead - static_cast<std::uint64_t>(passed.count())));
  if (by <= -kClockJump) {
    return "the wall clock was set back by " +
           duration_text(-std::max(by, -Duration::max()), Precision::seconds);
  }
  if (by >= kClockJump) {
    return "the wall clock went ahead by " + duration_text(by, Precision::seconds) +
           ": it was set, or the host was suspended";
  }
  return "";
}

}  // namespace sluice::record
