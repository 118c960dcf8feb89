#include "cli/record/read.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "base/json_writer.h"
#include "base/text.h"
#include "cli/record/moment.h"
#include "cli/record/other_users.h"
#include "cli/record/sentence.h"
#include "cli/record/span.h"
#include "cli/record/story.h"
#include "cli/record/trace.h"
#include "cli/terminal/terminal.h"
#include "status/wall_time.h"

namespace sluice::cli {
namespace {

using record::Dated;
using record::RecordFolder;

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

/// When, how many entries, how large; below each segment its gaps and problems.
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
  json.begin_object().member("folder", folder);
  json.list("segments", segments, [&](const record::ReadSegment& each) {
    const auto& [file, summary] = each;
    json.begin_object().member("segment", file.number);
    json.member("from", summary.first, rfc3339).member("to", summary.last, rfc3339);
    json.member("entries", summary.entries).member("bytes", file.bytes);
    json.member("lost", summary.lost).member("unknown", summary.unknown);
    json.member("version", summary.start, &record::SegmentStart::version);
    json.member("problems", summary.problems).end_object();
  });
  json.end_object();
  return text + "\n";
}

/// The daemon writes twice a second.
constexpr auto kFollowInterval = std::chrono::milliseconds(500);

/// The members of the entry's object after "at".
std::string members_of(const record::Entry& entry, const std::string& sentence) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member("type", record::type_name(entry)).member("message", sentence);
  if (const auto* level = std::get_if<record::Level>(&entry)) {
    json.member("busy", level->busy, record::from_thousandths);
    json.member("waiting", level->waiting, record::from_thousandths);
  }
  json.end_object();
  return text.substr(1);
}

/// Told again: nothing has happened.
bool is_no_news(const record::Entry& entry) {
  const auto* all = std::get_if<record::Restated>(&entry);
  return std::holds_alternative<record::JobRestated>(entry) || (all && all->left_out == 0);
}

/// Prints entries as they come, or only the last ones at the end. A level that reads like the one
/// printed before it is left out: what the line shows has not changed.
class EntryPrinter {
 public:
  explicit EntryPrinter(const RecordQuery& query) : query_(query) {}

  void add(const Dated& dated) {
    story_.add(dated);
    if (is_no_news(dated.entry)) return;
    const std::string text = text_of(dated.entry);
    const bool is_level = std::holds_alternative<record::Level>(dated.entry);
    if (is_level && has_level() && text == level_) return;
    ++lines_since_level_;
    if (is_level) {
      level_ = text;
      lines_since_level_ = 0;
    }
    lines_.push_back(is_json() ? R"({"at":")" + rfc3339(dated.wall) + "\"," + text
                               : local_time(dated.wall) + "  " + text);
    if (lines_.size() > query_.count && !is_following_) lines_.pop_front();
  }

  void print() {
    for (const std::string& each : lines_) std::cout << each << "\n";
    std::cout.flush();
    lines_.clear();
    if (!has_level()) level_.clear();
    is_following_ = true;
  }

 private:
  bool is_json() const { return query_.print == RecordQuery::Print::json; }
  /// Whether the line of `level_` has been printed, or is one of those that will be.
  bool has_level() const { return is_following_ || lines_since_level_ < query_.count; }
  /// The line without its time.
  std::string text_of(const record::Entry& entry) const {
    const std::string sentence = sentence_of(entry, story_.names());
    return is_json() ? members_of(entry, sentence) : harmless(sentence);
  }

  const RecordQuery& query_;
  Story story_;
  std::deque<std::string> lines_;
  bool is_following_ = false;
  std::string level_;  ///< The text of the last line of a level.
  std::size_t lines_since_level_ = 0;
};

/// Prints what is written from here on, until a signal ends the process.
void follow(const RecordFolder& folder, std::uint64_t segment, std::uint64_t from,
            EntryPrinter& printer) {
  while (std::cout.good()) {
    for (const record::SegmentFile& file : folder.segments()) {
      if (file.number < segment || (file.number == segment && file.bytes <= from)) continue;
      if (file.number > segment) from = 0;
      segment = file.number;
      const auto bytes = folder.read(segment, from);
      if (bytes.index() != 0) continue;
      const std::string head = from == 0 ? "" : record::segment_header();
      const auto summary = record::read_segment(head + std::get<0>(bytes),
                                                [&](const Dated& each) { printer.add(each); });
      from += summary.whole_bytes - std::min(summary.whole_bytes, head.size());
    }
    printer.print();
    std::this_thread::sleep_for(kFollowInterval);
  }
}

}  // namespace

int list_record(const RecordQuery& query) {
  const RecordFolder folder = open_record(query.place);
  const auto segments = record::read_record(folder, [](const Dated&) {});
  std::cout << (query.print == RecordQuery::Print::json ? segments_json(folder.path(), segments)
                                                        : segment_table(segments));
  return 0;
}

int tail_record(const RecordQuery& query) {
  const RecordFolder folder = open_record(query.place);
  EntryPrinter printer(query);
  const auto segments = record::read_record(folder, [&](const Dated& each) { printer.add(each); });
  warn_of_problems(segments, folder);
  printer.print();
  if (query.then == RecordQuery::Then::follow) {
    const record::ReadSegment last = segments.empty() ? record::ReadSegment{} : segments.back();
    follow(folder, last.file.number, last.summary.whole_bytes, printer);
  }
  return 0;
}

int export_record(const RecordQuery& query) {
  const Span span = span_asked_for(query.from, query.to);
  const RecordFolder folder = open_record(query.place);
  Trace trace;
  Side side = Side::within;
  const auto add =
      naming_jobs_of(query.names_of, [&](const Dated& each) { trace.add(each, side); });
  read_part(folder, span, [&](const Dated& each, Side where) {
    side = where;
    add(each);
  });
  std::cout << trace.json();
  return 0;
}

}  // namespace sluice::cli
