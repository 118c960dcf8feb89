#include "cli/record/segment_table.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "cli/record/moment.h"
#include "cli/terminal/terminal.h"
#include "status/wall_time.h"

namespace sluice::cli {
namespace {

std::vector<std::string> remarks_on(const record::SegmentSummary& summary) {
  std::vector<std::string> remarks;
  if (summary.lost > 0) remarks.push_back(std::to_string(summary.lost) + " entries are missing");
  if (summary.unknown > 0) {
    remarks.push_back(std::to_string(summary.unknown) +
                      " entries are of a newer Sluice, and passed over");
  }
  remarks.insert(remarks.end(), summary.problems.begin(), summary.problems.end());
  return remarks;
}

std::string segment_row(const std::string& number, const std::string& from, const std::string& to,
                        const std::string& entries, const std::string& size) {
  return padded_left(number, 7) + "  " + padded(from, 19) + "  " + padded(to, 19) +
         padded_left(entries, 11) + padded_left(size, 11) + "\n";
}

}  // namespace

std::string segment_table(const std::vector<record::ReadSegment>& segments) {
  std::string text = segment_row("SEGMENT", "FROM", "TO", "ENTRIES", "SIZE");
  std::size_t entries = 0;
  std::uint64_t bytes = 0;
  for (const auto& [file, summary] : segments) {
    text +=
        segment_row(std::to_string(file.number), summary.first ? local_time(*summary.first) : "",
                    summary.last ? local_time(*summary.last) : "", std::to_string(summary.entries),
                    bytes_text(Bytes{file.bytes}));
    for (const std::string& each : remarks_on(summary)) text += "         " + harmless(each) + "\n";
    entries += summary.entries;
    bytes += file.bytes;
  }
  return text + segment_row("", "", "together", std::to_string(entries), bytes_text(Bytes{bytes}));
}

std::string segments_json(const std::string& folder,
                          const std::vector<record::ReadSegment>& segments) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("folder", folder).key("segments").begin_array();
  for (const auto& [file, summary] : segments) {
    json.begin_object().member("segment", file.number).key("from");
    summary.first ? json.value(rfc3339(*summary.first)) : json.null();
    json.key("to");
    summary.last ? json.value(rfc3339(*summary.last)) : json.null();
    json.member("entries", summary.entries).member("bytes", file.bytes);
    json.member("lost", summary.lost).member("unknown", summary.unknown).key("version");
    summary.start ? json.value(summary.start->version) : json.null();
    json.member("problems", summary.problems).end_object();
  }
  json.end_array().end_object();
  return text + "\n";
}

}  // namespace sluice::cli
