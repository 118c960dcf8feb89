#include "cli/batch/verdict.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/terminal/terminal.h"
#include "sluice/units.h"

namespace sluice::cli {
namespace json = boost::json;
namespace {

constexpr std::size_t kMostReasons = 3;

std::string times(std::size_t count) {
  if (count == 1) return "once";
  return count == 2 ? "twice" : std::to_string(count) + " times";
}

std::string were(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " was" : " were");
}

/// The number of jobs at which half of the time that any ran lies at or below it.
std::size_t median_of(const std::map<std::size_t, double>& seconds) {
  double total = 0;
  for (const auto& [jobs, each] : seconds) total += jobs > 0 ? each : 0;
  double passed = 0;
  for (const auto& [jobs, each] : seconds) {
    passed += jobs > 0 ? each : 0;
    if (jobs > 0 && passed >= total / 2) return jobs;
  }
  return 0;
}

std::vector<FixedNumber> fixed_numbers(const VerdictFacts& facts) {
  std::vector<std::uint64_t> peaks;
  for (const MeasuredRun& run : facts.runs) peaks.push_back(run.peak_memory_bytes);
  std::sort(peaks.rbegin(), peaks.rend());
  const auto each_cpu = static_cast<std::size_t>(std::max(1.0, std::ceil(facts.terms.cpus)));
  std::vector<FixedNumber> fixed;
  for (const std::size_t jobs : std::set<std::size_t>{1, each_cpu, peaks.size()}) {
    if (jobs == 0 || jobs > peaks.size()) continue;
    const auto end = peaks.begin() + static_cast<std::ptrdiff_t>(jobs);
    fixed.push_back({jobs, std::accumulate(peaks.begin(), end, std::uint64_t{0})});
  }
  return fixed;
}

/// A limit of the summary (a `RefusalCode` as text, or "sensor NAME") as a clause.
std::string clause_of(const std::string& limit) {
  static const std::map<std::string, std::string> clauses{
      {"window", "the window was full"},
      {"memory", "the next job's expected memory did not fit"},
      {"resource", "a resource was short"},
      {"contention", "the next job would have blocked on a lock"},
      {"rate_limit", "a rate limit was reached"},
      {"held_for", "a job that had waited longest came first"},
      {"queue_paused", "its queue was paused"}};
  if (limit.starts_with("sensor ")) return limit + " was red";
  const auto found = clauses.find(limit);
  return found == clauses.end() ? "the next job waited (" + limit + ")" : found->second;
}

/// The longest first.
std::vector<std::pair<std::string, double>> reasons_of(const VerdictFacts& facts) {
  std::vector<std::pair<std::string, double>> reasons(facts.waited_for.begin(),
                                                      facts.waited_for.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return reasons;
}

std::string outcome_text(const BatchVerdict& verdict) {
  const VerdictFacts& facts = verdict.facts;
  const std::string of = verdict.left > 0 ? std::to_string(facts.runs.size()) + " of " : "";
  std::string text = of + count_text(facts.known, facts.terms.job) + " finished in " +
                     duration_text(facts.seconds) + "; " +
                     (facts.failed == 0 ? "none" : std::to_string(facts.failed)) + " failed.\n";
  if (verdict.left == 0) return text;
  const std::size_t unstarted = verdict.left - std::min(verdict.left, facts.stopped);
  text += "  ";
  if (unstarted > 0) text += were(unstarted) + " not started";
  if (unstarted > 0 && facts.stopped > 0) text += " and ";
  if (facts.stopped > 0) text += were(facts.stopped) + " ended";
  if (facts.time_limit) text += ", to stay within " + duration_text(*facts.time_limit);
  return text + ".\n";
}

std::string reasons_text(const BatchVerdict& verdict) {
  const VerdictFacts& facts = verdict.facts;
  const auto reasons = reasons_of(facts);
  if (reasons.empty()) return "  No job had to wait.\n";
  std::string text =
      verdict.most == 0 ? "  No job started because " : "  More did not start because ";
  for (std::size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) {
    const auto& [limit, seconds] = reasons[i];
    text += (i > 0 ? ", " : "") + clause_of(limit) + " (" + duration_text(seconds) + ")";
  }
  text += ".\n";
  for (const auto& [sensor, count] : facts.cuts) {
    text += "  Sensor " + sensor + " cut the window " + times(count) + ".\n";
  }
  return text;
}

std::string memory_text(const VerdictFacts& facts) {
  std::string text = "  Memory: " + bytes_text(Bytes{facts.peak_memory_bytes}) + " at the peak";
  if (facts.terms.memory_bytes) text += ", of " + bytes_text(Bytes{*facts.terms.memory_bytes});
  return text + ".\n";
}

std::string fixed_text(const BatchVerdict& verdict, const FixedNumber& fixed) {
  const std::string name = "    " + padded("-j" + std::to_string(fixed.jobs), 7);
  if (fixed.jobs == 1) {
    return name + "takes up to " + duration_text(verdict.run_seconds) +
           ", the sum of the run times\n";
  }
  const auto& memory = verdict.facts.terms.memory_bytes;
  return name + "needs " + bytes_text(Bytes{fixed.memory_bytes}) + " when the " +
         (fixed.jobs == verdict.facts.runs.size() ? "jobs" : "largest jobs") + " run together" +
         (memory && fixed.memory_bytes > *memory ? ": more than there is" : "") + "\n";
}

}  // namespace

BatchVerdict judge(VerdictFacts facts) {
  BatchVerdict verdict;
  for (const MeasuredRun& run : facts.runs) {
    verdict.run_seconds += run.seconds;
    verdict.least_seconds += run.cpu_seconds / facts.terms.cpus;
  }
  verdict.usual = median_of(facts.at_once);
  verdict.most = facts.at_once.empty() ? 0 : facts.at_once.rbegin()->first;
  verdict.left = facts.known - std::min(facts.known, facts.runs.size());
  verdict.fixed = fixed_numbers(facts);
  verdict.facts = std::move(facts);
  return verdict;
}

std::string to_text(const BatchVerdict& verdict) {
  const VerdictFacts& facts = verdict.facts;
  std::string text = "\nVerdict\n  " + outcome_text(verdict);
  if (verdict.most == 0) return facts.waited_for.empty() ? text : text + reasons_text(verdict);
  text += "  Sluice ran " + std::to_string(verdict.usual) + " at a time (median), " +
          std::to_string(verdict.most) + " at most.\n" + reasons_text(verdict) + memory_text(facts);
  if (facts.runs.empty()) return text;
  text += "  A fixed number of jobs instead, computed from these runs:\n";
  for (const FixedNumber& fixed : verdict.fixed) text += fixed_text(verdict, fixed);
  return text + "  With any number they take at least " + duration_text(verdict.least_seconds) +
         ": their CPU time on " + cpus_text(facts.terms.cpus) + ".\n";
}

json::object to_json(const BatchVerdict& verdict) {
  const VerdictFacts& facts = verdict.facts;
  json::array fixed;
  for (const FixedNumber& each : verdict.fixed) {
    json::object entry{{"jobs", each.jobs}, {"memory_bytes", each.memory_bytes}};
    if (each.jobs == 1) entry["seconds_at_most"] = verdict.run_seconds;
    entry["seconds_at_least"] = verdict.least_seconds;
    fixed.push_back(std::move(entry));
  }
  return {{"what", facts.terms.job + "s"},
          {"jobs", facts.known},
          {"finished", facts.runs.size()},
          {"failed", facts.failed},
          {"stopped", facts.stopped},
          {"not_started", verdict.left - std::min(verdict.left, facts.stopped)},
          {"time_limit_seconds", json::value_from(facts.time_limit)},
          {"seconds", facts.seconds},
          {"at_once", {{"median", verdict.usual}, {"most", verdict.most}}},
          {"waited_for_seconds", json::value_from(facts.waited_for)},
          {"cuts", json::value_from(facts.cuts)},
          {"peak_memory_bytes", facts.peak_memory_bytes},
          {"memory_bytes", json::value_from(facts.terms.memory_bytes)},
          {"cpus", facts.terms.cpus},
          {"fixed", std::move(fixed)}};
}

}  // namespace sluice::cli
