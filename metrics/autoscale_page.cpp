#include "metrics/autoscale_page.h"

#include "metrics/families.h"

namespace sluice {
namespace {

void append_fleet(Families& families, const AutoscaleFacts& facts) {
  families.gauge("sluice_autoscaler_desired_replicas",
                 "Desired number of executors; keeps its value while blind.", facts.desired);
  Family& limits =
      families.gauges("sluice_autoscaler_limit", "Configured bounds of the number of executors.");
  limits.add({{"bound", "min"}}, facts.least).add({{"bound", "max"}}, facts.most);
  families.gauge("sluice_autoscaler_blind",
                 "1 while the fleet, or all of its executors, cannot be seen, else 0.",
                 facts.blind);
  families.gauge("sluice_autoscaler_last_look_timestamp_seconds",
                 "Unix time of the last check of the fleet.", facts.last_observed_unix);
  Family& executors = families.gauges("sluice_autoscaler_executors",
                                      "Executors at the last check that saw the fleet, by state.");
  for (const char* state : {"running", "booting", "draining", "not_seen"}) {
    const auto found = facts.executors.find(state);
    executors.add({{"state", state}}, found == facts.executors.end() ? 0 : found->second);
  }
  families.gauge("sluice_autoscaler_fleet_window_size",
                 "Total window points of executors that are not draining.", facts.points);
  families.gauge("sluice_autoscaler_fleet_window_usage", "Points in use in these windows.",
                 facts.usage);
  families.gauge("sluice_autoscaler_jobs_running", "Running jobs.", facts.running_jobs);
  families.gauge("sluice_autoscaler_jobs_queued", "Waiting jobs, except held ones.",
                 facts.queued_jobs);
  families.gauge("sluice_autoscaler_oldest_wait_seconds",
                 "Longest wait of a waiting job; 0: none waits.", facts.oldest_wait);
}

void append_acts(Families& families, const AutoscaleFacts& facts) {
  Family& decisions =
      families.counters("sluice_autoscaler_decisions_total", "Decisions, by reason.");
  for (const auto& [reason, count] : facts.decisions) {
    decisions.add({{"reason", reason}}, count);
  }
  Family& changes =
      families.counters("sluice_autoscaler_changes_total",
                        "Executors added, drained, removed, and kept after draining.");
  changes.add({{"change", "added"}}, facts.added);
  changes.add({{"change", "drained"}}, facts.drained);
  changes.add({{"change", "kept"}}, facts.kept);
  changes.add({{"change", "removed"}}, facts.removed);
  Family& failures =
      families.counters("sluice_autoscaler_scaler_failures_total",
                        "Orders that failed or that the scaler wrongly reported as done.");
  failures.add({{"order", "add"}}, facts.failed_adds);
  failures.add({{"order", "drain"}}, facts.failed_drains);
  failures.add({{"order", "remove"}}, facts.failed_removes);
  families.counter("sluice_autoscaler_state_failures_total", "Failed writes of the state.",
                   facts.state_failures);
}

}  // namespace

std::string autoscale_text(const AutoscaleFacts& facts) {
  Families families;
  Family& build = families.gauges("sluice_build_info", "Version of the running program; always 1.");
  build.add({{"version", facts.version}}, 1);
  append_fleet(families, facts);
  append_acts(families, facts);
  return std::move(families).text();
}

}  // namespace sluice
