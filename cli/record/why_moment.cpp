#include "cli/record/why_moment.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "cli/record/moment.h"
#include "cli/record/sentence.h"
#include "cli/terminal/terminal.h"
#include "status/wall_time.h"

namespace sluice::cli {
namespace {

/// In the order of the record.
std::vector<const JobStory*> jobs_that(const auto& did_so, const Story& story) {
  std::vector<const JobStory*> jobs;
  for (const JobStory& each : story.jobs()) {
    if (std::invoke(did_so, each)) jobs.push_back(&each);
  }
  return jobs;
}

/// Those that have run longest first.
std::vector<const JobStory*> running(const Story& story) {
  std::vector<const JobStory*> jobs = jobs_that(&JobStory::ran_at_end, story);
  std::ranges::stable_sort(jobs, {}, [](const JobStory* each) {
    const When& when = each->start->when;
    return std::pair(when.boot, when.at);
  });
  return jobs;
}

/// In their places, as last recorded.
std::vector<const JobStory*> waiting(const Story& story) {
  std::vector<const JobStory*> jobs = jobs_that(&JobStory::waited_at_end, story);
  std::ranges::stable_sort(jobs, {}, [](const JobStory* each) {
    return each->waits.empty() ? ~std::uint64_t{0} : each->waits.back().facts.place;
  });
  return jobs;
}

/// Those whose end is not on record.
std::vector<const JobStory*> lost(const Story& story) {
  return jobs_that([](const JobStory& each) { return each.lost && !each.end; }, story);
}

std::string reason_of(const JobStory& job, const Story& story) {
  if (job.waits.empty()) return "no reason is on record";
  return to_sentence(refusal_of(job.waits.back().facts), story.names());
}

/// The part of the line that names a job.
std::string job_row(const JobStory& job) {
  const std::string& key = job.facts.key.text;
  const auto cost = job.cost();
  const std::string points = cost ? padded_left(std::to_string(cost->value), 5) +
                                        (*cost == Points{1} ? " point" : " points")
                                  : padded_left("unknown", 12);
  return "  " + padded(job.name() + (key.empty() || key == job.name() ? "" : "  " + key), 32) +
         padded(points, 14);
}

void append_jobs(std::vector<std::string>& lines, const std::string& title,
                 const std::vector<const JobStory*>& jobs, std::size_t most, const auto& text_of) {
  lines.push_back(title + std::to_string(jobs.size()));
  for (std::size_t at = 0; at < std::min(jobs.size(), most); ++at) {
    lines.push_back(job_row(*jobs[at]) + text_of(*jobs[at]));
  }
  if (jobs.size() > most) {
    lines.push_back("  and " + std::to_string(jobs.size() - most) + " more (--json has all)");
  }
}

std::string level_text(const record::Level& level) {
  std::string text = std::to_string(level.usage.value) + " of " + std::to_string(level.size.value) +
                     " points were in use";
  if (level.busy) {
    text += ", the CPUs were " + number_text(static_cast<double>(*level.busy) / 10, 0) + "% busy";
  }
  return text;
}

void write_jobs(JsonWriter& json, const char* name, const std::vector<const JobStory*>& jobs,
                std::size_t most, const auto& write_more) {
  json.list(name, std::span(jobs).first(std::min(jobs.size(), most)), [&](const JobStory* job) {
    const auto if_known = [&](const std::string& text) {
      return job->submitted || !text.empty() ? std::optional(text) : std::nullopt;
    };
    json.begin_object().member("job", job->number.value).member("id", if_known(job->facts.id.text));
    json.member("key", if_known(job->facts.key.text)).member("queue", if_known(job->queue()));
    json.member("cost", job->cost());
    write_more(*job);
    json.end_object();
  });
}

}  // namespace

std::vector<std::string> moment_lines(const Story& story, record::WallTime moment,
                                      std::size_t most) {
  std::vector<std::string> lines;
  if (!story.last()) return lines;
  const When& last = *story.last();
  const When now{last.at + std::max(Duration(moment - last.wall), Duration{0}), moment, last.boot};
  lines.push_back("At " + local_time(moment) + ": " +
                  (story.level() ? level_text(*story.level()) : "nothing is on record yet") + ".");
  if (moment - story.last()->wall > kRecordSilence) {
    lines.push_back("The last entry before that is of " + local_time(story.last()->wall) + ".");
  }
  if (story.window()) {
    lines.push_back("window   " + local_time(story.window_when()->wall) + ": " +
                    window_sentence(*story.window()));
  }
  for (const auto& [name, verdict] : story.red()) {
    lines.push_back("red      " + sentence_of(verdict, {}));
  }
  append_jobs(lines, "running  ", running(story), most, [&](const JobStory& job) {
    return "for " + duration_text(between(job.start->when, now));
  });
  append_jobs(lines, "waiting  ", waiting(story), most,
              [&](const JobStory& job) { return reason_of(job, story); });
  if (story.unnamed() > 0) {
    lines.push_back("unnamed  " + std::to_string(story.unnamed()) +
                    ", which the daemon had no room to tell again");
  }
  const std::vector<const JobStory*> unknown = lost(story);
  if (unknown.empty()) return lines;
  append_jobs(lines, "unknown  ", unknown, most, [](const JobStory& job) {
    return std::string(job.start ? "ran" : "waited") + " when the record broke off at " +
           local_time(job.lost->wall);
  });
  return lines;
}

std::string moment_json(const Story& story, const Surroundings& around, const Occurrence& shown,
                        const std::vector<std::string>& problems, std::size_t most) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("at", rfc3339(around.moment()));
  json.member("last_entry", story.last(), wall_text);
  json.member("occurrence", shown.number).member("occurrences", shown.of);
  const auto& level = story.level();
  json.member("window", level, &record::Level::size).member("usage", level, &record::Level::usage);
  json.member("busy", level ? level->busy : std::nullopt, record::from_thousandths);
  json.member("last_change", story.window(), [&](const record::WindowChanged& change) {
    json.begin_object().member("at", wall_text(*story.window_when()));
    json.member("message", window_sentence(change)).end_object();
  });
  json.object("pressures", story.pressures(), [&](const auto& each) {
    json.member(each.first, record::from_thousandths(each.second));
  });
  json.list("red", story.red(), [&](const auto& each) {
    json.begin_object().member("sensor", each.first);
    json.member("message", each.second.said.text).end_object();
  });
  const auto runs = running(story), waits = waiting(story), unknown = lost(story);
  json.key("jobs").begin_object().member("running", runs.size()).member("waiting", waits.size());
  json.member("unknown", unknown.size()).member("unnamed", story.unnamed()).end_object();
  write_jobs(json, "running", runs, most,
             [&](const JobStory& job) { json.member("since", wall_text(job.start->when)); });
  write_jobs(json, "waiting", waits, most, [&](const JobStory& job) {
    json.member("since", job.submitted, wall_text);
    json.member("code", job.waits.empty() ? nullptr : &job.waits.back().facts,
                &record::JobWaits::code);
    json.member("message", reason_of(job, story));
  });
  write_jobs(json, "unknown", unknown, most,
             [&](const JobStory& job) { json.member("since", wall_text(*job.lost)); });
  json.key("record").begin_object();
  write_surroundings(json, around);
  json.member("problems", problems).end_object().end_object();
  return text + "\n";
}

}  // namespace sluice::cli
