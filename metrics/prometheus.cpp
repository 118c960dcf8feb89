#include "metrics/prometheus.h"

#include <array>
#include <cstddef>
#include <utility>

#include "metrics/families.h"
#include "metrics/queue_families.h"
#include "metrics/sensor_families.h"

namespace sluice {
namespace {

/// Adds a sample for every value of the enum that indexes `counts`, including those that never
/// occurred: if a series appears with its first event, increase() misses that event.
template <typename Enum, std::size_t N>
void add_each(Family& family, const char* label, const std::array<std::uint64_t, N>& counts) {
  for (std::size_t i = 0; i < N; ++i) {
    family.add({{label, to_string(static_cast<Enum>(i))}}, counts[i]);
  }
}

void append_window(Families& families, const Status& status) {
  families.gauge("sluice_window_size",
                 "Points that may be in use at once; 10 points are about one busy core.",
                 status.size);
  families.gauge("sluice_window_usage", "Points held by running jobs.", status.usage);
  Family& limits =
      families.gauges("sluice_window_limit", "Configured bounds of the window size, in points.");
  limits.add({{"bound", "min"}}, status.minimum);
  limits.add({{"bound", "max"}}, status.maximum);
  if (status.threshold) {
    families.gauge("sluice_window_threshold",
                   "Window size in points at which slow start ends; not under law rfc.",
                   *status.threshold);
  }
  Family& law = families.gauges("sluice_window_law_info", "The control law that sizes the window.");
  law.add({{"law", to_string(status.law)}}, 1);

  Family& changes = families.counters("sluice_window_changes_total", "Changes of the window size.");
  for (const WindowCause cause :
       {WindowCause::slow_start, WindowCause::growth, WindowCause::reload}) {
    changes.add({{"direction", "increase"}, {"cause", to_string(cause)}},
                status.counters.window_increases[static_cast<std::size_t>(cause)]);
  }
  for (const WindowCause cause : {WindowCause::red, WindowCause::idle_restart, WindowCause::reload,
                                  WindowCause::knee, WindowCause::yield, WindowCause::unused}) {
    changes.add({{"direction", "decrease"}, {"cause", to_string(cause)}},
                status.counters.window_decreases[static_cast<std::size_t>(cause)]);
  }
}

void append_cpu(Families& families, const CpuStatus& cpu) {
  families.gauge("sluice_cpu_busy_ratio",
                 "Used part of the CPU time there was, over the last sample.", cpu.busy);
  families.gauge("sluice_cpu_waiting_tasks", "Mean number of tasks that waited for a CPU, per CPU.",
                 cpu.waiting);
  families.gauge("sluice_cpu_demand_cores", "Cores that the running jobs need, as far as known.",
                 cpu.demand);
  families.gauge("sluice_cpu_others_cores", "Cores used by anything else.", cpu.others);
}

void append_memory(Families& families, const MemoryStatus& memory) {
  families.gauge("sluice_memory_limit_bytes",
                 "The tightest memory limit: the host's or a cgroup's.", memory.limit);
  families.gauge("sluice_memory_promised_bytes",
                 "Memory available to jobs: that limit without the reserve.", memory.promised);
  families.gauge("sluice_memory_kept_bytes",
                 "Memory kept for running jobs: their actual or expected use.", memory.kept);
  families.gauge("sluice_memory_margin_bytes",
                 "Memory kept in addition, because predictions may be wrong.", memory.margin);
  families.gauge("sluice_memory_others_bytes", "Memory used by anything else.", memory.others);
}

void append_job_counters(Families& families, const Status& status) {
  const Counters& counted = status.counters;
  families.gauge("sluice_jobs_starting",
                 "Running jobs that have not reported the end of their set-up.", status.starting);
  families.counter("sluice_jobs_submitted_total", "Submitted jobs.", counted.submitted);
  families.counter("sluice_jobs_admitted_total", "Jobs that received a permit.", counted.admitted);
  families.counter("sluice_jobs_cancelled_total", "Waiting jobs cancelled before they ran.",
                   counted.cancelled);

  Family& released =
      families.counters("sluice_jobs_released_total", "Returned permits, by outcome.");
  add_each<Outcome>(released, "outcome", counted.finished);

  Family& rejected =
      families.counters("sluice_jobs_rejected_total",
                        "Requests refused for good instead of being queued, by reason.");
  add_each<RefusalCode>(rejected, "reason", counted.rejected);

  families.histogram("sluice_admission_wait_seconds", "Time from submit to admission.", kWaitBounds,
                     counted.wait.counts, counted.wait.sum);
  families.histogram("sluice_job_duration_seconds", "Time from admission to the end.",
                     kDurationBounds, counted.duration.counts, counted.duration.sum);
}

void append_state(Families& families, const Status& status) {
  families.gauge("sluice_registered", "1 while this executor takes work, else 0.",
                 status.registered);
  families.gauge("sluice_paused", "1 while the operator has paused it, else 0.", status.paused);
  families.gauge("sluice_draining", "1 while it drains and admits no more jobs, else 0.",
                 status.draining);

  families.gauge(
      "sluice_full",
      "1 while jobs wait and the machine has no room for them, and for 10 s after, else 0.",
      status.short_of_capacity);

  Family& limited = families.gauges(
      "sluice_admission_limited", "1 for what keeps the first job in line from starting, else 0.");
  for_each_limit(status.limiting, [&](std::string_view code, bool binds) {
    limited.add({{"by", code}}, binds);
  });

  Family& transitions = families.counters("sluice_registration_transitions_total",
                                          "Times it started or stopped taking work, by cause.");
  transitions.add({{"to", "registered"}, {"cause", "ready"}}, status.counters.registrations);
  for (const RefusalCode cause :
       {RefusalCode::window, RefusalCode::sensor, RefusalCode::paused, RefusalCode::draining}) {
    transitions.add({{"to", "unregistered"}, {"cause", to_string(cause)}},
                    status.counters.deregistrations[static_cast<std::size_t>(cause)]);
  }
}

void append_service(Families& families, const ServiceFacts& facts) {
  Family& build = families.gauges("sluice_build_info", "Version of the running program; always 1.");
  build.add({{"version", facts.version}, {"revision", facts.revision}}, 1);

  families.gauge("sluice_client_connections", "Open client connections.", facts.client_connections);
  Family& requests = families.counters("sluice_client_requests_total", "Answered client requests.");
  for (const ClientRequests& each : facts.client_requests) {
    const std::string code = std::to_string(each.code);
    requests.add({{"op", each.op}, {"code", code}}, each.count);
  }

  families.gauge("sluice_config_last_reload_successful",
                 "1 if the last load of the configuration succeeded, else 0.", facts.reload_ok);
  families.gauge("sluice_config_last_reload_success_timestamp_seconds",
                 "Unix time of the last successful load of the configuration.",
                 facts.last_reload_unix);
  families.counter("sluice_config_reload_failures_total",
                   "Loads of the configuration that failed and changed nothing.",
                   facts.reload_failures);
  Family& internal =
      families.counters("sluice_internal_errors_total",
                        "Exceptions that the daemon survived, by where they were caught.");
  for (const auto& [place, count] : facts.internal_errors) {
    internal.add({{"place", place}}, count);
  }
  if (facts.statsd_failures) {
    families.counter("sluice_statsd_send_failures_total", "Statsd datagrams known to be lost.",
                     *facts.statsd_failures);
  }
}

void append_kept(Families& families, const StateFacts& state) {
  families.gauge("sluice_state_kept", "1 while jobs are stored on disk, 0 while in memory only.",
                 !state.path.empty() && !state.failing.has_value());
  families.gauge("sluice_state_failing",
                 "1 while jobs should be stored on disk and are not, else 0.",
                 state.failing.has_value());
  if (state.history) {
    families.gauge("sluice_history_failing",
                   "1 while what is learned should be stored on disk and is not, else 0.",
                   state.history->failing.has_value());
  }
  Family& jobs = families.gauges("sluice_state_start_jobs",
                                 "Jobs of an earlier run of the daemon, found at the start.");
  jobs.add({{"found", "adopted"}}, state.adopted);
  jobs.add({{"found", "released"}}, state.released);
  jobs.add({{"found", "restored"}}, state.restored);
}

void append_record(Families& families, const std::optional<RecordFacts>& record) {
  if (!record) return;
  families.gauge("sluice_record_bytes", "The record of decisions on disk.", record->bytes);
  families.counter("sluice_record_lost_entries_total",
                   "Entries of the record that could not be written.", record->lost);
  families.gauge("sluice_record_failing",
                 "1 while decisions should be recorded and are not, else 0.",
                 record->failing.has_value());
}

void append_shadow(Families& families, const std::optional<ShadowFacts>& shadow) {
  if (!shadow) return;
  families.gauge("sluice_shadow_window_points", "The window of the other configuration.",
                 shadow->size);
  families.gauge("sluice_shadow_red_sensors", "Its red sensors.", shadow->red.size());
  families.gauge("sluice_shadow_would_start_jobs",
                 "Waiting jobs that the other configuration would start now.",
                 shadow->would_start.size());
  families.counter("sluice_shadow_began_jobs_total",
                   "Jobs that have begun and were compared with the other configuration.",
                   shadow->began);
  families.counter("sluice_shadow_held_jobs_total",
                   "Of these, the jobs that it would have let wait.", shadow->held);
}

void append_jobserver(Families& families, const JobserverFacts& facts) {
  families.gauge("sluice_jobserver_clients", "Commands that take tokens of the jobserver.",
                 facts.clients);
  Family& tokens = families.gauges("sluice_jobserver_tokens",
                                   "Jobserver tokens, each of them a permit, by use.");
  tokens.add({{"state", "in_use"}}, facts.in_use);
  tokens.add({{"state", "idle"}}, facts.idle);
  families.gauge("sluice_jobserver_debt_tokens", "Tokens to take back as jobs of clients end.",
                 facts.debt);
  families.counter("sluice_jobserver_tokens_granted_total", "Tokens given to clients.",
                   facts.granted);
  families.counter("sluice_jobserver_tokens_lost_total",
                   "Tokens that clients never returned, written off.", facts.lost);
  families.counter("sluice_jobserver_suspensions_total",
                   "Times that the brake suspended a job of a client.", facts.suspended);
}

void append_work_sources(Families& families, const std::vector<WorkSourceFacts>& sources) {
  Family& connected = families.gauges("sluice_work_source_connected",
                                      "1 while connected to a server of a work source, else 0.");
  Family& jobs = families.gauges("sluice_work_source_jobs", "Unfinished jobs taken from a server.");
  Family& taken = families.counters("sluice_work_source_taken_total", "Jobs taken from a server.");
  for (const WorkSourceFacts& source : sources) {
    const Labels labels{{"kind", source.kind}, {"server", source.server}};
    connected.add(labels, source.connected);
    jobs.add(labels, source.jobs);
    taken.add(labels, source.taken);
  }
}

void append_kept_memory(Families& families, const std::vector<KeptMemoryFacts>& kept) {
  Family& jobs =
      families.counters("sluice_memory_predictions_total",
                        "Finished jobs of known peak for which memory was kept, by what told it.");
  Family& above = families.counters("sluice_memory_predictions_exceeded_total",
                                    "Of these, those that used more than was kept.");
  Family& byte_seconds = families.counters("sluice_memory_kept_byte_seconds_total",
                                           "Memory kept for these jobs, by time.");
  Family& unused = families.counters("sluice_memory_unused_byte_seconds_total",
                                     "The part of it that they never used, by time.");
  for (const KeptMemoryFacts& each : kept) {
    const Labels labels{{"rung", each.rung}};
    jobs.add(labels, each.jobs);
    above.add(labels, each.above);
    byte_seconds.add(labels, each.byte_seconds);
    unused.add(labels, each.unused);
  }
}

void append_process(Families& families, const ServiceFacts& facts) {
  families.counter("process_cpu_seconds_total", "User and system CPU time spent by the process.",
                   facts.cpu_seconds);
  families.gauge("process_resident_memory_bytes", "Resident memory of the process.",
                 facts.resident);
  families.gauge("process_open_fds", "Open file descriptors.", facts.open_fds);
  if (facts.max_fds) {
    families.gauge("process_max_fds", "Maximum number of open file descriptors.", *facts.max_fds);
  }
  families.gauge("process_start_time_seconds", "Unix time at which the process started.",
                 facts.start_unix);
}

}  // namespace

std::string prometheus_text(const Status& status, const ServiceFacts& facts) {
  Families families;
  append_service(families, facts);
  append_state(families, status);
  append_window(families, status);
  if (status.cpu) append_cpu(families, *status.cpu);
  if (status.memory) append_memory(families, *status.memory);
  append_queues(families, status);
  append_resources(families, status);
  append_job_counters(families, status);
  append_kept(families, facts.state);
  append_record(families, facts.record);
  append_shadow(families, facts.shadow);
  append_work_sources(families, facts.work_sources);
  families.counter("sluice_job_suspensions_total",
                   "Times that the brake had a job suspended by its holder.", facts.suspensions);
  append_kept_memory(families, facts.kept_memory);
  append_jobserver(families, facts.jobserver);
  append_sensors(families, status, facts.now_unix);
  append_process(families, facts);
  families.drop_empty();
  return std::move(families).text();
}

}  // namespace sluice
