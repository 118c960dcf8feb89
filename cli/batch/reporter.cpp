#include "cli/batch/reporter.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <utility>

#include "base/seconds.h"
#include "base/text.h"
#include "cli/status/host_view.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;
using Telling = BatchSettings::Telling;

constexpr Duration kRedraw = std::chrono::milliseconds(200);
constexpr std::size_t kFewLines = 24;  ///< Of a terminal; on a higher one half of it is for output.
constexpr std::size_t kMostName = 200;

/// Maximum of a job's output in one JSON object; the rest is cut off, and the object says so.
constexpr std::size_t kMostText = 1 << 20;

std::string name_of(const BatchJob& job) { return cut(harmless(job.line), kMostName); }

/// Replaces bytes that are not UTF-8 by '?', since JSON cannot hold them; keeps newlines and tabs.
std::string readable(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t stop = std::min(text.find_first_of("\n\t", at), text.size());
    out += harmless(std::string_view(text).substr(at, stop - at));
    if (stop < text.size()) out += text[stop];
    at = stop + 1;
  }
  return out;
}

void add_streams(json::object& event, const JobStreams& streams) {
  if (!streams.output) return;
  event["stdout"] = readable(JobStreams::text_of(*streams.output, kMostText));
  event["stderr"] = readable(JobStreams::text_of(*streams.error, kMostText));
  event["cut"] = streams.output->size() > kMostText || streams.error->size() > kMostText;
}

}  // namespace

BatchReporter::BatchReporter(const BatchSettings& settings, BatchOutput& output, TimePoint began)
    : settings_(settings),
      screen_(settings.told_on),
      output_(output),
      style_(style_of(settings.told_on)),
      summary_(began) {}

std::string BatchReporter::time(TimePoint now) const {
  return padded(duration_text(summary_.elapsed(now)), 10) + " ";
}

void BatchReporter::line(const std::string& text) { screen_.write(text + "\n"); }

void BatchReporter::tell(const json::object& event) {
  output_.add_text(json::serialize(event) + "\n");
}

void BatchReporter::problem(const std::string& what) {
  say(what);
  if (settings_.telling != Telling::json) return;
  tell({{"event", "problem"}, {"message", what}});
}

void BatchReporter::problem_once(const std::string& what) {
  if (told_.insert(what).second) problem(what);
}

void BatchReporter::explain_if_quiet(const BatchJob& job, const std::string& why) {
  const bool is_quiet = settings_.telling == Telling::quiet;
  if (is_quiet && told_.insert(why).second) problem(job.place + ": " + why);
}

void BatchReporter::bad_line(const std::string& what) {
  problem(what);
  summary_.note_failed_unrun(harmless(what));
}

void BatchReporter::started(const BatchJob& job, int attempt, std::int64_t cost) {
  if (settings_.telling != Telling::json) return;
  const json::object event{{"event", "started"},     {"t", summary_.elapsed(Clock::now())},
                           {"seq", job.seq},         {"id", job.request.id},
                           {"key", job.request.key}, {"command", readable(job.line)},
                           {"attempt", attempt},     {"cost", cost}};
  tell(event);
}

void BatchReporter::finished(const JoblogLine& end, const std::string& how,
                             const std::string& last_words, const JobStreams& streams) {
  const bool ok = end.outcome == "ok";
  const std::string name = cut(harmless(end.command), kMostName);
  summary_.note_finished(ok, end.runtime);
  if (settings_.verdict) runs_.push_back({end.runtime, end.cpu_seconds, end.peak_memory});
  if (end.outcome == "oom") ++oom_killed_;
  if (end.outcome == "timeout") ++timed_out_;
  if (end.peak_memory > largest_) {
    largest_ = end.peak_memory;
    largest_name_ = name;
  }
  const std::string words = last_words.empty() ? "" : ": " + last_words;
  if (!ok) summary_.note_failure(name + ": " + how + words);
  if (settings_.telling == Telling::json) {
    json::object event{{"event", "finished"},
                       {"t", summary_.elapsed(Clock::now())},
                       {"seq", end.seq},
                       {"id", end.id},
                       {"key", end.key},
                       {"command", readable(end.command)},
                       {"outcome", end.outcome},
                       {"how", how},
                       {"exit_status", end.exit_status},
                       {"signal", end.signal},
                       {"attempt", end.attempt},
                       {"waited_seconds", end.waited},
                       {"seconds", end.runtime},
                       {"cpu_seconds", end.cpu_seconds},
                       {"peak_memory_bytes", end.peak_memory},
                       {"cost", end.cost}};
    if (settings_.passing == BatchSettings::Passing::grouped) add_streams(event, streams);
    tell(event);
  } else if (settings_.telling == Telling::verbose) {
    line(time(Clock::now()) + padded(std::to_string(summary_.finished()), 6) +
         (ok ? "ok     " : "FAILED ") + padded(duration_text(end.runtime), 9) + " " +
         padded(bytes_text(Bytes{end.peak_memory}), 10) + " " + name +
         (ok ? "" : ": " + how + words));
  } else if (!ok && settings_.telling == Telling::plain) {
    say(name + ": " + how);
  }
}

void BatchReporter::retried(const BatchJob& job, int attempt, const std::string& how) {
  ++retried_;
  if (settings_.telling == Telling::json) {
    tell({{"event", "retried"},
          {"t", summary_.elapsed(Clock::now())},
          {"seq", job.seq},
          {"attempt", attempt},
          {"how", how}});
  } else if (settings_.telling != Telling::quiet) {
    say(name_of(job) + ": " + how + " (attempt " + std::to_string(attempt) + "), will run again");
  }
}

void BatchReporter::left(const BatchJob& job, Left left, const std::string& why) {
  static constexpr std::array<const char*, 3> kWords{"skipped", "cancelled", "stopped"};
  if (left == Left::skipped) ++skipped_;
  if (left == Left::cancelled) ++cancelled_;
  if (left == Left::stopped) summary_.note_stopped();
  if (settings_.telling == Telling::json) {
    tell({{"event", kWords[static_cast<std::size_t>(left)]},
          {"seq", job.seq},
          {"command", readable(job.line)},
          {"why", why}});
  } else if (left == Left::cancelled && settings_.telling != Telling::quiet) {
    say(job.place + ": " + name_of(job) + ": " + why);
  }
}

void BatchReporter::refused(const BatchJob& job, const std::string& why) {
  left(job, Left::cancelled, why);
  summary_.note_failed_unrun(name_of(job) + ": " + harmless(why));
}

void BatchReporter::changed(const WindowChange& change) {
  summary_.record_change(change);
  if (settings_.telling == Telling::json) {
    tell({{"event", "window"},
          {"t", summary_.elapsed(change.at)},
          {"from", change.from.value},
          {"size", change.to.value},
          {"cause", to_string(change.cause)},
          {"sensor", change.sensor},
          {"sentence", readable(to_sentence(change))}});
  } else if (settings_.telling == Telling::verbose) {
    line(time(change.at) + "window " + to_sentence(change));
  }
}

void BatchReporter::braked(const BatchJob& job, const BrakeAction& action) {
  if (settings_.telling == Telling::json) {
    tell({{"event", "brake"},
          {"t", summary_.elapsed(Clock::now())},
          {"seq", job.seq},
          {"what", action.sentence()}});
  } else if (settings_.telling != Telling::quiet) {
    say(name_of(job) + ": " + action.sentence());
  }
}

void BatchReporter::explain_wait(const std::optional<AdmissionBackend::Wait>& wait, TimePoint now) {
  if (!wait) {
    nothing_runs_.reset();
    return;
  }
  if (!nothing_runs_) nothing_runs_.emplace(now);
  if (!nothing_runs_->is_due(wait->kind, now)) return;
  if (settings_.telling == Telling::json) {
    tell({{"event", "waiting"},
          {"t", summary_.elapsed(now)},
          {"sentence", readable(wait->sentence)}});
  } else if (settings_.telling == Telling::plain || settings_.telling == Telling::verbose) {
    say("waiting: " + harmless(wait->sentence));
  }
}

void BatchReporter::observe(const AdmissionBackend& backend) {
  if (const auto status = backend.status()) summary_.observe(*status);
}

void BatchReporter::show(const AdmissionBackend& backend, const BatchProcesses& processes,
                         BatchTable& table, TimePoint now) {
  summary_.note_running(processes.size(), now);
  if (output_.idle()) screen_.restore();
  if (now - shown_ < kRedraw / 2) return;
  shown_ = now;
  observe(backend);
  explain_wait(processes.size() > 0 ? std::nullopt : backend.why_waiting(), now);
  people().pump();
  if (settings_.telling == Telling::live && people().idle()) draw(backend, processes, table, now);
}

std::string BatchReporter::progress(const BatchTable& table, std::size_t running,
                                    TimePoint now) const {
  const std::size_t known = std::max<std::size_t>(1, table.counts().known);
  const double part = static_cast<double>(summary_.finished()) / static_cast<double>(known);
  const double eta = summary_.eta(now, known);
  std::string text = "jobs     " + bar(part, bar_cells(style_)) + " " +
                     std::to_string(summary_.finished()) + " of " +
                     std::to_string(table.counts().known) + " done";
  if (summary_.failed() > 0) {
    text += ", " + painted(style_, Colour::red, std::to_string(summary_.failed()) + " failed");
  }
  text += ", " + std::to_string(running) + " running, " + std::to_string(table.size() - running) +
          " pending, " + duration_text(summary_.elapsed(now)) + " elapsed";
  if (eta >= 0) text += ", about " + duration_text(eta) + " left";
  return cut(text, style_.width);
}

void BatchReporter::draw(const AdmissionBackend& backend, const BatchProcesses& processes,
                         BatchTable& table, TimePoint now) {
  style_ = style_of(settings_.told_on);
  std::vector<std::string> lines{progress(table, processes.size(), now)};
  HostView view = backend.view().value_or(HostView{});
  for (auto& row : view.pending) {
    if (row.seq) row.name = table.at(*row.seq).job.line;
  }
  // A governor of this batch alone knows only the jobs that were submitted to it.
  const auto is_ours = [](const auto& row) { return row.seq.has_value(); };
  if (!view.pending.empty() && std::ranges::all_of(view.pending, is_ours))
    view.all_pending = table.size() - processes.size();
  const auto rows = processes.rows();
  for (const auto& row : rows) {
    const std::string memory = bytes_text(row.usage.memory) + (row.suspended ? ", suspended" : "");
    view.running.push_back({std::to_string(row.seq), table.at(row.seq).job.line, row.cost,
                            to_seconds(now - row.began), memory});
  }
  const std::size_t most = std::max(std::min(style_.height, kFewLines), style_.height / 2);
  // Of these, one is the progress, and the cursor stands on another.
  for (std::string& each : brief_lines_of(view, style_, std::max<std::size_t>(most, 3) - 2))
    lines.push_back(std::move(each));
  if (style_.height > 1 && lines.size() >= style_.height) lines.resize(style_.height - 1);
  screen_.show(lines);
}

bool BatchReporter::pass_output() {
  return output_.pump(settings_.telling == Telling::live ? &screen_ : nullptr);
}

std::string BatchReporter::further_text(const BatchProcesses& processes) const {
  std::string text = "memory      " + bytes_text(processes.peak_together()) +
                     " at the peak, largest job " + bytes_text(Bytes{largest_}) +
                     (largest_name_.empty() ? "" : " (" + cut(largest_name_, 60) + ")") + "\n";
  if (!processes.isolation_description().starts_with("cgroup"))
    text += "isolated by " + processes.isolation_description() + "\n";
  const auto& braked = processes.braked();
  const std::vector<std::pair<std::uint64_t, const char*>> counts{
      {oom_killed_, "killed for lack of memory"},
      {timed_out_, "timed out"},
      {retried_, "run again"},
      {skipped_, "skipped: already in the joblog"},
      {cancelled_, "not run"},
      {braked.suspended, "suspended by the brake"},
      {braked.ended, "ended by the brake and queued again"}};
  for (const auto& [count, what] : counts) {
    if (count > 0) text += "            " + std::to_string(count) + " " + what + "\n";
  }
  return text;
}

std::optional<BatchVerdict> BatchReporter::verdict(const BatchProcesses& processes,
                                                   std::size_t known, TimePoint now) const {
  if (!settings_.verdict) return std::nullopt;
  VerdictFacts facts;
  facts.terms = *settings_.verdict;
  facts.known = known;
  facts.failed = summary_.failed();
  facts.stopped = summary_.stopped();
  facts.seconds = summary_.elapsed(now);
  facts.runs = runs_;
  facts.at_once = summary_.at_once();
  facts.waited_for = summary_.waited_for();
  facts.cuts = summary_.cuts();
  facts.peak_memory_bytes = processes.peak_together().value;
  if (is_out_of_time_) facts.time_limit = to_seconds(settings_.span->total);
  return judge(std::move(facts));
}

void BatchReporter::sum_up(const BatchProcesses& processes, std::size_t known, TimePoint now) {
  hide();
  if (settings_.telling == Telling::quiet) return;
  const auto judged = verdict(processes, known, now);
  if (settings_.telling != Telling::json) {
    people().write(summary_.text(known, now) + further_text(processes) +
                   (judged ? to_text(*judged) : ""));
    return;
  }
  json::object summary = summary_.object(known, now);
  summary["peak_memory_bytes"] = processes.peak_together().value;
  summary["largest_job_bytes"] = largest_;
  summary["oom_killed"] = oom_killed_;
  summary["timed_out"] = timed_out_;
  summary["retried"] = retried_;
  summary["skipped"] = skipped_;
  summary["cancelled"] = cancelled_;
  summary["brake"] = {{"suspended", processes.braked().suspended},
                      {"resumed", processes.braked().resumed},
                      {"ended", processes.braked().ended}};
  summary["means"] = processes.isolation_description();
  if (judged) summary["verdict"] = to_json(*judged);
  tell(summary);
}

}  // namespace sluice::cli
