#include "base/sqlite/wal_check.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "base/descriptors.h"
#include "base/text.h"

namespace sluice {
namespace {

// Source: https://www.sqlite.org/fileformat2.html, section 4, "The Write-Ahead Log".

constexpr std::size_t kHeader = 32;
constexpr std::size_t kFrameHeader = 24;
constexpr std::size_t kLeastPage = 512, kMostPage = 65536;
constexpr std::uint32_t kMagic = 0x377f0682;  ///< Its last bit: checksums are big-endian.

using Bytes8 = std::span<const std::uint8_t>;

std::uint32_t big_endian(Bytes8 bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
         std::uint32_t{bytes[at + 2]} << 8 | std::uint32_t{bytes[at + 3]};
}

struct Pair {
  std::uint32_t first = 0, second = 0;

  bool operator==(const Pair&) const = default;
};

Pair pair_at(Bytes8 bytes, std::size_t at) {
  return {big_endian(bytes, at), big_endian(bytes, at + 4)};
}

/// Byte order of the words that a checksum covers.
enum class Order { little, big };

/// Checksum of a whole number of word pairs, continuing from `sum`.
Pair checksum(Pair sum, Bytes8 bytes, Order order) {
  const bool swaps = (order == Order::big) == (std::endian::native == std::endian::little);
  const std::uint8_t* const end = bytes.data() + bytes.size();
  for (const std::uint8_t* at = bytes.data(); at + 8 <= end; at += 8) {
    std::uint32_t words[2];
    std::memcpy(words, at, sizeof words);
    sum.first += (swaps ? __builtin_bswap32(words[0]) : words[0]) + sum.second;
    sum.second += (swaps ? __builtin_bswap32(words[1]) : words[1]) + sum.first;
  }
  return sum;
}

/// Whether all of `into` could be read.
bool read_at(const Descriptor& file, std::size_t at, std::span<std::uint8_t> into) {
  return pread(file.get(), into.data(), into.size(), static_cast<off_t>(at)) ==
         static_cast<ssize_t>(into.size());
}

/// The result of reading a log once.
struct LogState {
  Pair salts;
  std::optional<WalDamage> damage;

  bool operator==(const LogState&) const = default;
};

/// Walks through the frames of one log. A frame is sound in itself if its checksum continues from
/// the one in the frame before it; SQLite reads on only while all are.
///
/// A killed writer leaves no commit after the first unsound frame, since frames are written in
/// order, the commit last. That does not hold for a database that may write pages early
/// (cache_spill) and again within one transaction: it rewrites checksums last of all.
class Reader {
 public:
  explicit Reader(const Descriptor& file) : file_(file) {}

  LogState read_log() {
    std::array<std::uint8_t, kHeader> header{};
    if (!read_at(file_, 0, header)) return {};
    const std::uint32_t magic = big_endian(header, 0);
    const std::size_t page = big_endian(header, 8);
    const Pair sum = pair_at(header, 24);
    salts_ = pair_at(header, 16);
    order_ = (magic & 1) != 0 ? Order::big : Order::little;
    const bool sound = (magic & ~1U) == kMagic && page >= kLeastPage && page <= kMostPage &&
                       (page & (page - 1)) == 0 &&
                       checksum({}, Bytes8(header).first(24), order_) == sum;
    if (!sound) return read_behind_bad_header();
    frame_.resize(kFrameHeader + page);
    return {salts_, damage_after(sum)};
  }

 private:
  /// Without the header it is unknown what was committed: report at least one if there is a frame.
  LogState read_behind_bad_header() const {
    std::array<std::uint8_t, kFrameHeader + kLeastPage> frame{};
    if (!read_at(file_, kHeader, frame)) return {salts_, std::nullopt};
    return {salts_, WalDamage{0, 1}};
  }

  std::optional<WalDamage> damage_after(Pair sum_of_header) {
    // The checksum in the frame before and, in case it is damaged, the one it should have.
    Pair carried = sum_of_header, computed = sum_of_header;
    std::optional<std::uint64_t> bad;
    std::uint64_t lost = 0;
    for (std::uint64_t number = 1; read_frame(number); ++number) {
      const Bytes8 frame(frame_);
      const Pair own = pair_at(frame, 16);
      const bool current = pair_at(frame, 8) == salts_ && big_endian(frame, 0) != 0;
      const Pair sum = sum_of(frame, carried);
      const bool follows_computed = carried != computed && sum_of(frame, computed) == own;
      const bool sound = current && (sum == own || follows_computed);
      if (!sound && !bad) bad = number;
      const bool commits = big_endian(frame, 4) != 0;
      if (bad && sound && commits) ++lost;
      carried = own;
      computed = sum;
    }
    if (lost == 0) return std::nullopt;
    return WalDamage{*bad, lost};
  }

  Pair sum_of(Bytes8 frame, Pair before) const {
    return checksum(checksum(before, frame.first(8), order_), frame.subspan(kFrameHeader), order_);
  }

  bool read_frame(std::uint64_t number) {
    return read_at(file_, kHeader + (number - 1) * frame_.size(), frame_);
  }

  const Descriptor& file_;
  Pair salts_;
  Order order_ = Order::little;
  std::vector<std::uint8_t> frame_;
};

}  // namespace

std::string WalDamage::sentence() const {
  const std::string where = frame == 0 ? "its header" : "frame " + std::to_string(frame);
  return where + " does not match its checksum, and at least " + count_text(lost, "transaction") +
         " from there on are lost";
}

std::optional<WalDamage> damage_of_wal(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  // A read during writes may see half a frame, but not again once a later one was there.
  constexpr int kMostReads = 5;
  LogState before = Reader(file).read_log();
  for (int reads = 1; before.damage && reads < kMostReads; ++reads) {
    const LogState again = Reader(file).read_log();
    if (again.salts == before.salts && again.damage &&
        again.damage->frame == before.damage->frame) {
      return again.damage;
    }
    before = again;
  }
  return std::nullopt;
}

}  // namespace sluice
