#include "cli/record/why.h"

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "cli/record/moment.h"
#include "cli/record/story.h"
#include "cli/record/why_job.h"
#include "cli/record/why_moment.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

void print(const std::vector<std::string>& lines) {
  for (const std::string& each : lines) std::cout << harmless(each) << "\n";
}

int why_job(const RecordQuery& query) {
  const record::RecordFolder folder = open_record(query.place);
  Story story;
  const auto segments =
      record::read_record(folder, [&](const record::Dated& each) { story.add(each); });
  warn_of_problems(segments, folder);
  const JobStory* job = story.find(query.job);
  if (!job) {
    std::cerr << "sluice why: the record in " << folder.path() << " has no job `"
              << harmless(query.job) << "` (sluice record list shows its span)\n";
    return 1;
  }
  if (query.print == RecordQuery::Print::json) {
    std::cout << why_json(*job, story);
  } else {
    print(why_lines(*job, story));
  }
  return 0;
}

int why_moment(const RecordQuery& query) {
  const auto moment = moment_of(query.at, std::chrono::system_clock::now());
  if (!moment) {
    std::cerr << "sluice why: --at: `" << query.at << "` is not a time such as " << kMomentForms
              << "\n";
    return 2;
  }
  const record::RecordFolder folder = open_record(query.place);
  Story story;
  const auto segments = record::read_record(folder, [&](const record::Dated& each) {
    if (each.wall <= *moment) story.add(each);
  });
  warn_of_problems(segments, folder);
  if (!story.last()) {
    std::cerr << "sluice why: the record in " << folder.path() << " begins after "
              << local_time(*moment) << " (sluice record list shows its span)\n";
    return 1;
  }
  if (query.print == RecordQuery::Print::json) {
    std::cout << moment_json(story, *moment);
  } else {
    print(moment_lines(story, *moment));
  }
  return 0;
}

}  // namespace

int why(const RecordQuery& query) {
  if (query.job.empty() != query.at.empty()) {
    return query.at.empty() ? why_job(query) : why_moment(query);
  }
  std::cerr << "sluice why: give a job, or --at TIME\n";
  return 2;
}

}  // namespace sluice::cli
