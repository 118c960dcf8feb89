#include "metrics/autoscale_page.h"

#include "metrics/families.h"

namespace sluice {
namespace {

double count_number(std::int64_t count) { return static_cast<double>(count); }
double count_number(std::uint64_t count) { return static_cast<double>(count); }

void append_fleet(Families& families, const AutoscaleFacts& facts) {
  families.push_back(gauge("sluice_autoscaler_desired_replicas",
                           "Desired number of executors; keeps its value while blind.",
                           facts.desired));
  Samples limits =
      gauges("sluice_autoscaler_limit", "Configured bounds of the number of executors.");
  limits.add({{"bound", "min"}}, facts.least).add({{"bound", "max"}}, facts.most);
  families.push_back(std::move(limits).to_family());
  families.push_back(gauge("sluice_autoscaler_blind",
                           "1 while the fleet, or all of its executors, cannot be seen, else 0.",
                           facts.blind ? 1 : 0));
  families.push_back(gauge("sluice_autoscaler_last_look_timestamp_seconds",
                           "Unix time of the last check of the fleet.", facts.last_observed_unix));
  Samples executors = gauges("sluice_autoscaler_executors",
                             "Executors at the last check that saw the fleet, by state.");
  for (const char* state : {"running", "booting", "draining", "not_seen"}) {
    const auto found = facts.executors.find(state);
    executors.add({{"state", state}}, found == facts.executors.end() ? 0 : found->second);
  }
  families.push_back(std::move(executors).to_family());
  families.push_back(gauge("sluice_autoscaler_fleet_window_size",
                           "Total window points of executors that are not draining.",
                           count_number(facts.points)));
  families.push_back(gauge("sluice_autoscaler_fleet_window_usage",
                           "Points in use in these windows.", count_number(facts.usage)));
  families.push_back(
      gauge("sluice_autoscaler_jobs_running", "Running jobs.", count_number(facts.running_jobs)));
  families.push_back(gauge("sluice_autoscaler_jobs_queued", "Waiting jobs, except held ones.",
                           count_number(facts.queued_jobs)));
  families.push_back(gauge("sluice_autoscaler_oldest_wait_seconds",
                           "Longest wait of a waiting job; 0: none waits.", facts.oldest_wait));
}

void append_acts(Families& families, const AutoscaleFacts& facts) {
  Samples decisions = counters("sluice_autoscaler_decisions_total", "Decisions, by reason.");
  for (const auto& [reason, count] : facts.decisions) {
    decisions.add({{"reason", reason}}, count_number(count));
  }
  families.push_back(std::move(decisions).to_family());
  Samples changes = counters("sluice_autoscaler_changes_total",
                             "Executors added, drained, removed, and kept after draining.");
  changes.add({{"change", "added"}}, count_number(facts.added));
  changes.add({{"change", "drained"}}, count_number(facts.drained));
  changes.add({{"change", "kept"}}, count_number(facts.kept));
  changes.add({{"change", "removed"}}, count_number(facts.removed));
  families.push_back(std::move(changes).to_family());
  Samples failures = counters("sluice_autoscaler_scaler_failures_total",
                              "Orders that failed or that the scaler wrongly reported as done.");
  failures.add({{"order", "add"}}, count_number(facts.failed_adds));
  failures.add({{"order", "drain"}}, count_number(facts.failed_drains));
  failures.add({{"order", "remove"}}, count_number(facts.failed_removes));
  families.push_back(std::move(failures).to_family());
  families.push_back(counter("sluice_autoscaler_state_failures_total",
                             "Failed writes of the state.", count_number(facts.state_failures)));
}

}  // namespace

std::string autoscale_text(const AutoscaleFacts& facts) {
  Families families;
  Samples build = gauges("sluice_build_info", "Version of the running program; always 1.");
  build.add({{"version", facts.version}}, 1);
  families.push_back(std::move(build).to_family());
  append_fleet(families, facts);
  append_acts(families, facts);
  return text_of(families);
}

}  // namespace sluice
