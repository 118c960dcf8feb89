#include "cli/build/build_verdict.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "base/seconds.h"
#include "base/text.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// Jobs that have waited less, all together, were not worth a line.
constexpr Duration kWorthALine = std::chrono::seconds(10);
constexpr double kWorthANumber = 0.5;  // Seconds: less is 0 in the line.
constexpr int kWorthNaming = 1;        // Per cent.
constexpr std::size_t kHeaviestShown = 10;

Duration waited_in_all(const BuildReport& report) {
  Duration sum{0};
  for (const auto& [_, time] : report.waited) sum += time;
  return sum;
}

json::object seconds_by_reason(const WaitTimes& waited) {
  json::object object;
  for (const auto& [lacks, time] : waited) object[lacks] = to_seconds(time);
  return object;
}

json::value bytes_or_null(const std::optional<Bytes>& bytes) {
  return bytes ? json::value(bytes->value) : json::value(nullptr);
}

json::array list_of(const std::vector<BuildRun>& runs) {
  json::array list;
  for (const BuildRun& run : runs) {
    list.push_back(json::object{{"name", run.name},
                                {"peak_memory", run.peak.value},
                                {"cpu", to_seconds(run.cpu)},
                                {"kept_memory", bytes_or_null(run.kept)},
                                {"next_memory", bytes_or_null(run.next)},
                                {"waited", seconds_by_reason(run.waited)}});
  }
  return list;
}

std::vector<BuildRun> heaviest_of(const BuildReport& report, std::size_t most) {
  const auto& all = report.heaviest;
  const auto count = std::min(most, all.size());
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

Bytes peaks_of(const std::vector<BuildRun>& runs) {
  Bytes sum{0};
  for (const BuildRun& run : runs) sum.value += run.peak.value;
  return sum;
}

/// With any number of jobs at once: their CPU time on all CPUs.
double least_seconds(const BuildTerms& terms) { return to_seconds(terms.cpu) / terms.cpus; }

json::object facts_of(const BuildReport& report, const std::optional<AskedNumber>& asked,
                      const BuildTerms& terms) {
  json::object facts{{"runs", report.runs},
                     {"most_running", report.most_running},
                     {"most_held", report.most_held},
                     {"seconds", to_seconds(terms.took)},
                     {"cpu_seconds", to_seconds(terms.cpu)},
                     {"cpus", terms.cpus},
                     {"memory", bytes_or_null(terms.memory)},
                     {"waited", seconds_by_reason(report.waited)},
                     {"beyond",
                      {{"stall", report.beyond_stall},
                       {"pipeline", report.beyond_pipeline},
                       {"clock", report.beyond_clock},
                       {"unstoppable", report.beyond_unstoppable},
                       {"daemon", report.beyond_daemon}}},
                     {"killed_for_memory", list_of(report.killed_for_memory)},
                     {"maybe_killed_for_memory", list_of(report.maybe_killed)},
                     {"kills_known", report.knows_kills},
                     {"heaviest", list_of(heaviest_of(report, kHeaviestShown))}};
  if (asked) {
    facts["asked"] = asked->jobs;
    facts["asked_memory"] = peaks_of(heaviest_of(report, asked->jobs)).value;
    facts["asked_seconds_at_least"] = least_seconds(terms);
  }
  return facts;
}

void tell_killed(const BuildRun& run, const ToolReporter& reporter) {
  std::string line = run.name + " was killed by the kernel for memory";
  // One that was held was not measured.
  if (run.peak.value > 0) line += " at " + bytes_text(run.peak);
  if (run.kept) line += " (" + bytes_text(*run.kept) + " was kept for it)";
  if (run.next) line += "; " + bytes_text(*run.next) + " will be kept for it next time";
  reporter.say("killed", line,
               {{"name", run.name},
                {"peak_memory", run.peak.value},
                {"kept_memory", bytes_or_null(run.kept)},
                {"next_memory", bytes_or_null(run.next)}});
}

void tell_maybe_killed(const BuildRun& run, const ToolReporter& reporter) {
  reporter.say("maybe_killed", maybe_killed_sentence(run),
               {{"name", run.name},
                {"peak_memory", run.peak.value},
                {"kept_memory", bytes_or_null(run.kept)}});
}

/// The longest wait first.
std::vector<std::pair<double, std::string>> longest_first(const WaitTimes& waited) {
  std::vector<std::pair<double, std::string>> waits;
  for (const auto& [lacks, time] : waited) waits.emplace_back(to_seconds(time), lacks);
  std::ranges::sort(waits, std::greater());
  return waits;
}

/// " (waited 12 s for memory, 1 s for the window)"; empty if it waited for less than half a second.
std::string wait_of(const BuildRun& run) {
  std::string text;
  for (const auto& [time, lacks] : longest_first(run.waited)) {
    if (time < kWorthANumber) break;
    text += (text.empty() ? " (waited " : ", ") + duration_text(time, Precision::seconds) +
            " for " + lacks;
  }
  return text.empty() ? text : text + ")";
}

}  // namespace

std::string heaviest_sentence(const BuildReport& report) {
  std::string line;
  for (const BuildRun& run : heaviest_of(report, kHeaviestShown)) {
    if (run.peak == Bytes{0}) break;  // It was over before it was measured, as are all that follow.
    line += (line.empty() ? "the heaviest: " : ", ") + run.name + " " + bytes_text(run.peak) +
            wait_of(run);
  }
  return line;
}

std::string maybe_killed_sentence(const BuildRun& run) {
  return run.name + " held " + bytes_text(run.peak) +
         " when the kernel killed a process for memory: it may be the one (only root can see "
         "which processes are killed)";
}

std::string waited_sentence(const BuildReport& report) {
  const double sum = to_seconds(waited_in_all(report));
  if (sum < kWorthANumber) return "";
  std::string line;
  for (const auto& [time, lacks] : longest_first(report.waited)) {
    const double share = 100 * time / sum;
    if (share < kWorthNaming) continue;
    line += (line.empty() ? "" : ", ") + std::to_string(std::lround(share)) + "% for " + lacks;
  }
  return "jobs waited " + duration_text(sum, Precision::seconds) + " in all: " + line;
}

std::string number_sentence(const BuildReport& report, const std::optional<AskedNumber>& asked,
                            const std::optional<Bytes>& memory) {
  if (!asked || asked->jobs <= report.most_running || report.most_held == 0) return "";
  const auto heaviest = heaviest_of(report, asked->jobs);
  if (heaviest.size() < 2) return "";
  const Bytes needed = peaks_of(heaviest);
  const bool is_too_much = memory && needed > *memory;
  return asked->program + " was asked for " + std::to_string(asked->jobs) + " at once; at most " +
         std::to_string(report.most_running) + " ran; the " + std::to_string(heaviest.size()) +
         " heaviest together would have needed " + bytes_text(needed) +
         (is_too_much ? ", more than there is (" + bytes_text(*memory) + ")" : "");
}

std::string time_sentence(const BuildTerms& terms) {
  const double cpus = std::round(terms.cpus * 10) / 10;
  const bool had_more_cpus = least_seconds(terms) > to_seconds(terms.took);
  if (to_seconds(terms.cpu) < kWorthANumber || had_more_cpus) return "";
  return "the build took " + duration_text(terms.took, Precision::seconds) +
         "; with any number it takes at least " +
         duration_text(least_seconds(terms), Precision::seconds) + ": its CPU time on " +
         number_text(cpus) + (cpus == 1 ? " CPU" : " CPUs");
}

std::string too_many_sentence(const AskedNumber& asked, const FittingJobs& fitting,
                              const std::string& bound) {
  const bool is_known = fitting.by == FittingJobs::By::runs;
  return asked.program + " may start " + std::to_string(asked.jobs) + " at once; about " +
         std::to_string(fitting.jobs) + (is_known ? " of what it runs now fit" : " fit now") +
         (bound.empty() ? "" : " (" + bound + ")") +
         (is_known ? "" : ": nothing is known yet of what it runs");
}

void tell_end(const BuildReport& report, const std::optional<AskedNumber>& asked,
              const BuildTerms& terms, WaitTelling telling, const ToolReporter& reporter) {
  for (const BuildRun& run : report.killed_for_memory) tell_killed(run, reporter);
  for (const BuildRun& run : report.maybe_killed) tell_maybe_killed(run, reporter);
  std::string line = std::to_string(report.runs) + (report.runs == 1 ? " job" : " jobs") +
                     ", at most " + std::to_string(report.most_held) + " held at once";
  const std::size_t beyond = report.beyond_stall + report.beyond_pipeline + report.beyond_clock +
                             report.beyond_unstoppable + report.beyond_daemon;
  if (beyond > 0) line += ", " + std::to_string(beyond) + " ran without a permit";
  reporter.mention("end", line, facts_of(report, asked, terms));
  const bool is_worth_it = telling != WaitTelling::silent && waited_in_all(report) >= kWorthALine;
  const auto tell = [&](const char* event, const std::string& sentence) {
    if (sentence.empty()) return;
    is_worth_it ? reporter.say(event, sentence) : reporter.mention(event, sentence);
  };
  tell("waited", waited_sentence(report));
  const std::string number = number_sentence(report, asked, terms.memory);
  tell("asked", number);
  if (!number.empty()) tell("took", time_sentence(terms));
  const std::string heaviest = heaviest_sentence(report);
  if (!heaviest.empty()) reporter.mention("heaviest", heaviest);
}

}  // namespace sluice::cli
