#include "cli/record/sentence.h"

#include "base/enum_names.h"
#include "base/text.h"
#include "cli/record/job_changes.h"
#include "record/name_hash.h"
#include "sluice/status.h"

namespace sluice::cli {
namespace {

std::string points_text(Points points) { return std::to_string(points.value); }

std::string thousandths_text(std::int64_t thousandths) {
  return number_text(record::from_thousandths(thousandths), 2);
}

/// As in the sentence of a window: "; 34% busy, 0.18 tasks wait for each CPU".
std::string cpu_text(const record::Level& level) {
  if (!level.busy) return "";
  const std::string busy = number_text(static_cast<double>(*level.busy) / 10, 0) + "% busy";
  if (!level.waiting) return "; " + busy;
  return "; " + busy + ", " + thousandths_text(*level.waiting) + " tasks wait for each CPU";
}

struct EntrySentence {
  const JobNames& names;

  std::string job(JobId number) const {
    return "job " + (names ? names(number) : std::to_string(number.value));
  }

  std::string operator()(const record::SegmentStart& start) const {
    return "a segment of Sluice " + start.version + " begins";
  }
  std::string operator()(const record::Gap& gap) const {
    return std::to_string(gap.lost) + (gap.lost == 1 ? " entry of " : " entries of ") +
           duration_text(gap.to - gap.from) + " missing: " + gap.why;
  }
  std::string operator()(const record::DaemonEvent& event) const {
    const std::string& detail = event.detail.text;
    if (event.what == "operated") return detail;
    return "the daemon: " + event.what + (detail.empty() ? "" : ", " + detail);
  }
  std::string operator()(const record::JobSubmitted& each) const {
    return job(each.job) + " is submitted" +
           (each.queue.text.empty() ? "" : " to " + each.queue.text) +
           (each.key.text.empty() ? "" : ", key " + each.key.text) + ": " + cost_text(each.cost);
  }
  std::string operator()(const record::JobWaits& each) const {
    return job(each.job) + " waits: " + to_sentence(refusal_of(each), names) + "; place " +
           std::to_string(each.place);
  }
  std::string operator()(const record::JobChanged& each) const {
    return job(each.job) + " is changed: " + change_text(each, names);
  }
  std::string operator()(const record::JobRestated& each) const {
    return job(each.submitted.job) + (each.started ? " still runs" : " still waits") + ": " +
           cost_text(each.started ? each.started->cost : each.submitted.cost);
  }
  std::string operator()(const record::Restated& each) const {
    return count_text(each.jobs, "job") + " told again, " + std::to_string(each.left_out) +
           " more not";
  }
  std::string operator()(const record::JobStarted& each) const {
    return job(each.job) + " starts: " + cost_text(each.cost) + ", then " +
           points_text(each.usage) + " of " + points_text(each.size) + " in use" +
           (each.kept.value == 0 ? "" : ", " + bytes_text(each.kept) + " of memory kept for it");
  }
  std::string operator()(const record::JobFinished& each) const {
    return job(each.job) + " " + end_sentence(each, nullptr);
  }
  std::string operator()(const record::Configured& each) const {
    const std::string& text = each.text.text;
    return "the configuration " +
           (record::is_hash(text) ? "is hashed" : "has " + std::to_string(text.size()) + " bytes") +
           ", the machine " + thousandths_text(each.millicores) + " CPUs and " +
           bytes_text(each.memory) + " of memory";
  }
  std::string operator()(const record::WindowChanged& each) const {
    return "window " + window_sentence(each);
  }
  std::string operator()(const record::SensorVerdict& each) const {
    return "sensor " + each.sensor.text +
           (!each.up   ? " failed"
            : each.red ? " is red"
                       : " is green") +
           (each.said.text.empty() ? "" : ": " + each.said.text);
  }
  std::string operator()(const record::Level& each) const {
    return points_text(each.usage) + " of " + points_text(each.size) + " points in use, " +
           std::to_string(each.running) + " run, " + std::to_string(each.pending) + " wait" +
           cpu_text(each);
  }
  std::string operator()(const record::GovernorCall&) const { return ""; }
  std::string operator()(const record::Pressures& each) const {
    std::string text = "pressures:";
    for (const auto& [name, pressure] : each.of) {
      text += " " + name.text + " " + thousandths_text(pressure);
    }
    return text;
  }
};

}  // namespace

std::string sentence_of(const record::Entry& entry, const JobNames& names) {
  return std::visit(EntrySentence{names}, entry);
}

std::string window_sentence(const record::WindowChanged& change) {
  WindowChange window;
  window.from = change.from;
  window.to = change.to;
  window.cause = find_named<WindowCause>(change.cause, kWindowCauses).value_or(window.cause);
  window.sensor = change.sensor.text;
  window.said = change.said.text;
  window.pending = change.pending;
  if (change.busy) {
    window.cpu.emplace().busy = record::from_thousandths(*change.busy);
    window.cpu->waiting = record::from_thousandths(change.waiting.value_or(0));
  }
  return to_sentence(window);
}

std::string cost_text(Points cost) {
  return count_text(static_cast<std::uint64_t>(cost.value), "point");
}

double cores_of(const record::JobFinished& end) {
  return end.wall.count() <= 0
             ? 0
             : static_cast<double>(end.cpu.count()) / static_cast<double>(end.wall.count());
}

std::string end_sentence(const record::JobFinished& end, const record::JobStarted* start) {
  std::string text = "ended " + end.outcome;
  if (end.ended_by != "finish") text += " (" + end.ended_by + ")";
  if (!end.refusal.empty()) text += ", refused: " + end.refusal;
  if (!end.measured) return text;
  const record::JobStarted known = start ? *start : record::JobStarted{};
  const auto expected = [](bool is_known, const std::string& value) {
    return is_known ? ", " + value + " expected" : "";
  };
  text += ": " + duration_text(end.wall) +
          expected(known.expected_time > Duration{0}, duration_text(known.expected_time));
  text += "; " + number_text(cores_of(end), 2) + " cores" +
          expected(known.expected_millicores > 0, thousandths_text(known.expected_millicores));
  return text + "; at most " + bytes_text(end.peak) + " of memory" +
         expected(known.expected_memory > Bytes{0}, bytes_text(known.expected_memory));
}

}  // namespace sluice::cli
