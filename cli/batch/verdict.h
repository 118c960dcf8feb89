#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::cli {

/// What a verdict needs to know besides the runs.
struct VerdictTerms {
  std::string job = "job";                      ///< What one is called: "compile job".
  double cpus = 1;                              ///< That this process may use; > 0.
  std::optional<std::uint64_t> memory_bytes{};  ///< The lowest limit that applies, if known.
};

/// The last run of one job.
struct MeasuredRun {
  double seconds = 0, cpu_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
};

/// The measurements of a finished batch.
struct VerdictFacts {
  VerdictTerms terms;
  std::size_t known = 0, failed = 0, stopped = 0;
  double seconds = 0;  ///< From the start of the batch to its end.
  std::vector<MeasuredRun> runs;
  std::map<std::size_t, double> at_once;     ///< Seconds, by how many jobs ran.
  std::map<std::string, double> waited_for;  ///< Seconds, by what the first waiting job waited for.
  std::map<std::string, std::size_t> cuts;   ///< Of the window, by the sensor that caused them.
  std::uint64_t peak_memory_bytes = 0;       ///< Of all jobs together.
  std::optional<double> time_limit{};        ///< Seconds; set if it kept jobs from running.
};

/// What a fixed number of jobs at once means for the same runs.
struct FixedNumber {
  std::size_t jobs = 1;
  std::uint64_t memory_bytes = 0;  ///< The sum of as many of the largest peaks.
  bool operator==(const FixedNumber&) const = default;
};

/// What a batch shows about running jobs under a governor. Everything is measured, or computed from
/// what was.
struct BatchVerdict {
  VerdictFacts facts;
  std::size_t usual = 0, most = 0;  ///< Jobs at once: the median over the time that any ran.
  std::size_t left = 0;             ///< Jobs that were not started, or did not end by themselves.
  double run_seconds = 0;           ///< The sum of the run times: one after the other.
  double least_seconds = 0;         ///< The CPU time spread over all CPUs.
  std::vector<FixedNumber> fixed;   ///< One, one for each CPU, all; each number once.
};

BatchVerdict judge(VerdictFacts facts);

/// For people, several lines; and the same facts for programs.
std::string to_text(const BatchVerdict& verdict);
boost::json::object to_json(const BatchVerdict& verdict);

}  // namespace sluice::cli
