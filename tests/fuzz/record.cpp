// A segment of a record, and the entries in one of its blocks.
#include <string>

#include "base/text.h"
#include "record/codec.h"
#include "record/segment.h"
#include "support/fuzz.h"

namespace {

using namespace sluice::record;

void check(const Entry& entry) {
  std::string bytes;
  append_entry(bytes, {}, {}, entry);
  std::string_view rest = bytes;
  sluice::TimePoint at;
  const auto again = cut_entry(rest, at);
  sluice::fuzz::require(std::holds_alternative<Entry>(again) && rest.empty(), "it can be read");
  sluice::fuzz::require(std::get<Entry>(again) == entry, "and means the same");
}

}  // namespace

void sluice::fuzz::one_input(std::string_view text) {
  std::size_t entries = 0;
  const SegmentSummary summary = read_segment(text, [&](const Dated& each) {
    ++entries;
    check(each.entry);
  });
  require(entries + summary.unknown == summary.entries, "every entry is passed on");
  require(summary.whole_bytes <= text.size(), "no block is longer than the file");
  for (const std::string& each : summary.problems) {
    require(!each.empty() && printable(each) == each, "a problem is said in plain words");
  }
  // Behind a checksum the fuzzer would hardly ever come.
  std::string_view rest = text;
  TimePoint at;
  while (!rest.empty()) {
    const auto entry = cut_entry(rest, at);
    if (std::holds_alternative<BadEntry>(entry)) break;
    if (const auto* known = std::get_if<Entry>(&entry)) check(*known);
  }
}
