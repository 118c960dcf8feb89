#include "process/cgroup/numbers.h"

#include <algorithm>

#include "base/parse.h"

namespace sluice {
namespace {

/// "rbytes=4096": 4096.
std::uint64_t value_of(std::string_view word, std::string_view name) {
  if (!word.starts_with(name)) return 0;
  return parse_u64(word.substr(name.size())).value_or(0);
}

}  // namespace

Bytes working_set_of(std::uint64_t charged, std::uint64_t inactive_file) {
  return Bytes{charged > inactive_file ? charged - inactive_file : 0};
}

BlockIo parse_blkio_bytes(std::string_view text) {
  BlockIo io;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    next_word(line);
    const std::string_view kind = next_word(line);
    const std::uint64_t bytes = parse_u64(next_word(line)).value_or(0);
    if (kind == "Read") io.read.value += bytes;
    if (kind == "Write") io.written.value += bytes;
  }
  return io;
}

BlockIo parse_io_stat(std::string_view text) {
  BlockIo io;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    while (!line.empty()) {
      const std::string_view word = next_word(line);
      io.read.value += value_of(word, "rbytes=");
      io.written.value += value_of(word, "wbytes=");
    }
  }
  return io;
}

Bytes peak_of(const PeakEvidence& evidence) {
  Bytes peak = std::max(evidence.sampled, evidence.largest_process);
  if (!evidence.most_charged) return peak;
  if (evidence.sample_count < kEnoughSamples && evidence.inactive_file) {
    peak =
        std::max(peak, working_set_of(evidence.most_charged->value, evidence.inactive_file->value));
  }
  return std::min(peak, *evidence.most_charged);
}

}  // namespace sluice
