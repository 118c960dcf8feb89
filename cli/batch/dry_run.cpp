#include "cli/batch/dry_run.h"

#include <boost/json.hpp>
#include <cmath>
#include <ostream>
#include <variant>

#include "base/seconds.h"
#include "base/text.h"
#include "cli/batch/table.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

constexpr std::size_t kMostKey = 40;

void print_json(const BatchJob& job, const Prediction& expected, std::ostream& out) {
  json::object object{{"seq", job.seq},
                      {"id", job.request.id},
                      {"key", job.request.key},
                      {"program", job.request.program},
                      {"priority", job.request.priority.value_or(0)},
                      {"command", harmless(job.line)},
                      {"cost", expected.cost.value},
                      {"seconds", nullptr},
                      {"memory_bytes", nullptr},
                      {"known_by", to_string(expected.rung)}};
  if (expected.duration) object["seconds"] = to_seconds(*expected.duration);
  if (expected.memory) object["memory_bytes"] = std::llround(expected.memory->mean);
  out << object << "\n";
}

void print_text(const BatchJob& job, const Prediction& expected, std::ostream& out) {
  const std::string time =
      expected.duration ? duration_text(*expected.duration) : std::string("unknown");
  const std::string memory =
      expected.memory ? bytes_text(expected.memory->mean) : std::string("none kept");
  out << padded(std::to_string(job.seq), 6) << " "
      << padded(cut(harmless(job.request.key), kMostKey), kMostKey) << " " << padded(time, 12)
      << " " << padded(memory, 10) << " "
      << padded(count_text(static_cast<std::uint64_t>(expected.cost.value), "point"), 11) << " "
      << padded(std::string(to_string(expected.rung)), 10) << " " << harmless(job.line) << "\n";
}

}  // namespace

void print_dry_run(const std::vector<BatchJob>& jobs, const BatchResume& resume,
                   const CostModel& predict, BatchOrder::By by, DryRunForm form,
                   std::ostream& out) {
  BatchTable table(
      by, [&](const JobRequest& job) { return predict(job).duration; },
      [&](const BatchJob& job) { return resume.ended_ok(job); });
  for (const BatchJob& job : jobs) {
    if (std::get<bool>(resume.skips(job))) {
      table.skip(job);
    } else {
      table.add(job, TimePoint{});
    }
  }
  if (form == DryRunForm::text) {
    out << padded("job", 6) << " " << padded("key", kMostKey) << " " << padded("time", 12) << " "
        << padded("memory", 10) << " " << padded("cost", 11) << " " << padded("known by", 10)
        << " command\n";
  }
  while (const TrackedJob* next = table.next()) {
    JobRequest request = next->job.request;
    const Prediction expected = predict(request);
    if (form == DryRunForm::json) print_json(next->job, expected, out);
    if (form == DryRunForm::text) print_text(next->job, expected, out);
    table.done(next->job.seq, true, TimePoint{});
  }
}

}  // namespace sluice::cli
