#include "cli/record/why.h"

#include <chrono>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cli/record/moment.h"
#include "cli/record/occurrence.h"
#include "cli/record/other_users.h"
#include "cli/record/story.h"
#include "cli/record/surroundings.h"
#include "cli/record/why_job.h"
#include "cli/record/why_moment.h"
#include "cli/terminal/terminal.h"
#include "record/name_hash.h"
#include "record/recorder.h"

namespace sluice::cli {
namespace {

/// Jobs of a kind that are printed for people.
constexpr std::size_t kMostShown = 20;

/// Entries between two times that ended jobs are dropped.
constexpr std::size_t kDropEvery = std::size_t{1} << 16;

void print(const std::vector<std::string>& lines) {
  for (const std::string& each : lines) std::cout << harmless(each) << "\n";
}

/// The record as a story, and what is wrong with it.
struct ReadStory {
  Story story;
  std::vector<record::ReadSegment> segments;
  bool is_hashed = false;  ///< Whether jobs have hashes for ids, by its last configuration.
};

ReadStory read_story(const record::RecordFolder& folder, const std::string& names_of) {
  ReadStory read;
  read.segments =
      record::read_record(folder, naming_jobs_of(names_of, [&](const record::Dated& each) {
                            read.story.add(each);
                            const auto* configured = std::get_if<record::Configured>(&each.entry);
                            if (configured) read.is_hashed = record::is_hash(configured->text.text);
                          }));
  return read;
}

int why_job(const RecordQuery& query, const std::function<void(Duration)>& pause) {
  const record::RecordFolder folder = open_record(query.place);
  ReadStory read = read_story(folder, query.names_of);
  if (!read.story.find(query.job)) {
    // The daemon writes twice a second.
    pause(2 * record::Recorder::kInterval);
    read = read_story(folder, query.names_of);
  }
  warn_of_problems(read.segments, folder);
  const Story& story = read.story;
  const JobStory* job = story.find(query.job);
  if (!job) {
    std::cerr << "sluice why: the record in " << folder.path() << " has no job `"
              << harmless(query.job) << "` (sluice record list shows its span"
              << (read.is_hashed ? "; its names are hashed: give the job's number" : "") << ")\n";
    return 2;
  }
  if (query.print == RecordQuery::Print::json) {
    std::cout << why_json(*job, story);
  } else {
    print(why_lines(*job, story));
  }
  return 0;
}

/// Each problem of a segment, which is named by its number alone.
std::vector<std::string> problems_of(const std::vector<record::ReadSegment>& segments) {
  std::vector<std::string> problems;
  for (const auto& [file, summary] : segments) {
    for (const std::string& each : summary.problems) {
      problems.push_back("segment " + std::to_string(file.number) + ": " + each);
    }
  }
  return problems;
}

/// Whether a daemon from before `--outside-status` asks: once the program's file is replaced, it
/// calls the new one. People who ask in these words can tell the statuses apart by the message.
bool is_of_older_daemon(const RecordQuery& query) {
  const bool is_its_moment = query.at == "0s" || query.at.starts_with('@');
  return is_its_moment && query.most_jobs && !query.place.state_dir.empty() &&
         query.print == RecordQuery::Print::json;
}

/// The exit status for a moment outside the record.
int outside_status(const RecordQuery& query) {
  constexpr int kUsual = 2, kOfOlderDaemon = 1;
  return query.outside_status.value_or(is_of_older_daemon(query) ? kOfOlderDaemon : kUsual);
}

/// The record as told up to an occurrence of a moment.
struct ToldMoment {
  explicit ToldMoment(record::WallTime moment, std::size_t wanted)
      : around(moment), at(moment, wanted) {}

  Story story;
  Surroundings around;
  Occurrences at;
  std::vector<record::ReadSegment> segments;
};

ToldMoment tell_moment(const record::RecordFolder& folder, const RecordQuery& query,
                       record::WallTime moment, std::size_t wanted) {
  ToldMoment told(moment, wanted);
  std::size_t entries = 0;
  const auto add = naming_jobs_of(query.names_of, [&](const record::Dated& each) {
    const bool is_told = told.at.add(each);
    told.around.add(each, is_told ? Side::before : Side::after);
    if (!is_told) return;
    told.story.add(each);
    if (++entries % kDropEvery == 0) told.story.drop_ended();
  });
  told.segments = record::read_record(folder, add);
  told.at.finish(std::chrono::system_clock::now());
  return told;
}

/// Both in local time, with milliseconds if they would read alike without.
std::pair<std::string, std::string> told_apart(record::WallTime one, record::WallTime other) {
  std::pair texts(local_time(one), local_time(other));
  if (one == other || texts.first != texts.second) return texts;
  return {local_time_in_milliseconds(one), local_time_in_milliseconds(other)};
}

/// Says so if the record does not have the moment, or not as often as asked for.
std::optional<int> refuse_moment(const RecordQuery& query, const ToldMoment& told,
                                 const record::RecordFolder& folder) {
  const auto& around = told.around;
  const std::size_t count = told.at.count();
  if (count == 0) {
    const bool ends = around.to() && *around.to() < around.moment();
    const auto border = ends ? around.to() : around.from();
    const auto [limit, moment] = told_apart(border.value_or(around.moment()), around.moment());
    std::cerr << "sluice why: the record in " << folder.path()
              << (!border ? " is empty" : (ends ? " ends at " : " begins at ") + limit) << ": "
              << moment << " is outside (sluice record list shows its span)\n";
    return outside_status(query);
  }
  if (query.occurrence.value_or(count) <= count) return std::nullopt;
  std::cerr << "sluice why: " << local_time(around.moment()) << " occurred only "
            << times_text(count) << ", not " << *query.occurrence << " times\n";
  return query.occurrence_status.value_or(query.outside_status.value_or(2));
}

int why_moment(const RecordQuery& query) {
  const auto parsed = moment_of(query.at, std::chrono::system_clock::now());
  if (const auto* problem = std::get_if<std::string>(&parsed)) {
    std::cerr << "sluice why: --at: " << *problem << "\n";
    return 2;
  }
  const auto moment = std::get<record::WallTime>(parsed);
  const record::RecordFolder folder = open_record(query.place);
  ToldMoment told = tell_moment(folder, query, moment, 1);
  warn_of_problems(told.segments, folder);
  if (const auto status = refuse_moment(query, told, folder)) return *status;
  const Occurrence shown{query.occurrence.value_or(told.at.count()), told.at.count()};
  const std::string cause = told.at.cause();
  // Few times occur again, so the record is read again only then.
  if (shown.number > 1) told = tell_moment(folder, query, moment, shown.number);
  if (query.print == RecordQuery::Print::json) {
    const std::size_t most = query.most_jobs.value_or(std::numeric_limits<std::size_t>::max());
    std::cout << moment_json(told.story, told.around, shown, problems_of(told.segments), most);
    return 0;
  }
  if (shown.of > 1) print({occurrence_text(moment, shown, cause)});
  print(moment_lines(told.story, moment, query.most_jobs.value_or(kMostShown)));
  return 0;
}

}  // namespace

int why(const RecordQuery& query, const std::function<void(Duration)>& pause) {
  if (query.job.empty() != query.at.empty()) {
    return query.at.empty() ? why_job(query, pause) : why_moment(query);
  }
  std::cerr << "sluice why: give a job, or --at TIME\n";
  return 2;
}

}  // namespace sluice::cli
