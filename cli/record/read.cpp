#include "cli/record/read.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

#include "base/json_writer.h"
#include "cli/record/moment.h"
#include "cli/record/other_users.h"
#include "cli/record/segment_table.h"
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

/// The daemon writes twice a second.
constexpr auto kFollowInterval = std::chrono::milliseconds(500);

std::string entry_json(const Dated& dated, const std::string& sentence) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("at", rfc3339(dated.wall));
  json.member("type", record::type_name(dated.entry)).member("message", sentence).end_object();
  return text;
}

/// Prints entries as they come, or only the last ones at the end.
class EntryPrinter {
 public:
  explicit EntryPrinter(const RecordQuery& query) : query_(query) {}

  void add(const Dated& dated) {
    story_.add(dated);
    const std::string sentence =
        sentence_of(dated.entry, [this](JobId job) { return story_.name_of(job); });
    lines_.push_back(query_.print == RecordQuery::Print::json
                         ? entry_json(dated, sentence)
                         : local_time(dated.wall) + "  " + harmless(sentence));
    if (lines_.size() > query_.count && !is_following_) lines_.pop_front();
  }

  void print() {
    for (const std::string& each : lines_) std::cout << each << "\n";
    std::cout.flush();
    lines_.clear();
    is_following_ = true;
  }

 private:
  const RecordQuery& query_;
  Story story_;
  std::deque<std::string> lines_;
  bool is_following_ = false;
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
  Trace trace(span.from, span.to);
  Reach reach;
  const auto add = naming_jobs_of(query.names_of, [&](const Dated& each) {
    reach.add(each);
    trace.add(each);
  });
  const auto segments = record::read_record(folder, add);
  warn_of_problems(segments, folder);
  require_part(span, folder, reach);
  std::cout << trace.json();
  return 0;
}

}  // namespace sluice::cli
