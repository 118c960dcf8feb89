#include "metrics/prometheus.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "metrics/families.h"
#include "metrics/queue_families.h"
#include "metrics/sensor_families.h"

namespace sluice {
namespace {

double number(Points points) { return static_cast<double>(points.value); }

double number(std::uint64_t count) { return static_cast<double>(count); }

// Calls `visit(name, value)` for every value of the enum that indexes `array`, including those that
// never occurred: if a series appears with its first event, increase() misses that event.
template <typename Enum, std::size_t N, typename Visit>
void for_each_value(const std::array<std::uint64_t, N>& array, Visit visit) {
  for (std::size_t i = 0; i < N; ++i) visit(to_string(static_cast<Enum>(i)), number(array[i]));
}

void append_window(Families& families, const Status& status) {
  families.push_back(gauge("sluice_window_size",
                           "Points that may be in use at once; 10 points are about one busy core.",
                           number(status.size)));
  families.push_back(
      gauge("sluice_window_usage", "Points held by running jobs.", number(status.usage)));
  Samples limits =
      gauges("sluice_window_limit", "Configured bounds of the window size, in points.");
  limits.add({{"bound", "min"}}, number(status.minimum));
  limits.add({{"bound", "max"}}, number(status.maximum));
  families.push_back(std::move(limits).to_family());
  if (status.threshold) {
    families.push_back(gauge("sluice_window_threshold",
                             "Window size in points at which slow start ends; not under law rfc.",
                             number(*status.threshold)));
  }
  Samples law = gauges("sluice_window_law_info", "The control law that sizes the window.");
  law.add({{"law", to_string(status.law)}}, 1);
  families.push_back(std::move(law).to_family());

  Samples changes = counters("sluice_window_changes_total", "Changes of the window size.");
  for (const WindowCause cause :
       {WindowCause::slow_start, WindowCause::growth, WindowCause::reload}) {
    changes.add({{"direction", "increase"}, {"cause", to_string(cause)}},
                number(status.counters.window_increases[static_cast<std::size_t>(cause)]));
  }
  for (const WindowCause cause : {WindowCause::red, WindowCause::idle_restart, WindowCause::reload,
                                  WindowCause::knee, WindowCause::yield, WindowCause::unused}) {
    changes.add({{"direction", "decrease"}, {"cause", to_string(cause)}},
                number(status.counters.window_decreases[static_cast<std::size_t>(cause)]));
  }
  families.push_back(std::move(changes).to_family());
}

void append_cpu(Families& families, const CpuStatus& cpu) {
  families.push_back(gauge("sluice_cpu_busy_ratio",
                           "Used part of the CPU time there was, over the last sample.", cpu.busy));
  families.push_back(gauge("sluice_cpu_waiting_tasks",
                           "Mean number of tasks that waited for a CPU, per CPU.", cpu.waiting));
  families.push_back(gauge("sluice_cpu_demand_cores",
                           "Cores that the running jobs need, as far as known.", cpu.demand));
  families.push_back(gauge("sluice_cpu_others_cores", "Cores used by anything else.", cpu.others));
}

void append_memory(Families& families, const MemoryStatus& memory) {
  const auto bytes = [](Bytes amount) { return static_cast<double>(amount.value); };
  families.push_back(gauge("sluice_memory_limit_bytes",
                           "The tightest memory limit: the host's or a cgroup's.",
                           bytes(memory.limit)));
  families.push_back(gauge("sluice_memory_promised_bytes",
                           "Memory available to jobs: that limit without the reserve.",
                           bytes(memory.promised)));
  families.push_back(gauge("sluice_memory_kept_bytes",
                           "Memory kept for running jobs: their actual or expected use.",
                           bytes(memory.kept)));
  families.push_back(gauge("sluice_memory_margin_bytes",
                           "Memory kept in addition, because predictions may be wrong.",
                           bytes(memory.margin)));
  families.push_back(
      gauge("sluice_memory_others_bytes", "Memory used by anything else.", bytes(memory.others)));
}

void append_job_counters(Families& families, const Status& status) {
  const Counters& counted = status.counters;
  families.push_back(gauge("sluice_jobs_starting",
                           "Running jobs that have not reported the end of their set-up.",
                           number(status.starting)));
  families.push_back(
      counter("sluice_jobs_submitted_total", "Submitted jobs.", number(counted.submitted)));
  families.push_back(counter("sluice_jobs_admitted_total", "Jobs that received a permit.",
                             number(counted.admitted)));
  families.push_back(counter("sluice_jobs_cancelled_total",
                             "Waiting jobs cancelled before they ran.", number(counted.cancelled)));

  Samples released = counters("sluice_jobs_released_total", "Returned permits, by outcome.");
  for_each_value<Outcome>(counted.finished, [&](auto outcome, double count) {
    released.add({{"outcome", outcome}}, count);
  });
  families.push_back(std::move(released).to_family());

  Samples rejected = counters("sluice_jobs_rejected_total",
                              "Requests refused for good instead of being queued, by reason.");
  for_each_value<RefusalCode>(counted.rejected, [&](auto reason, double count) {
    rejected.add({{"reason", reason}}, count);
  });
  families.push_back(std::move(rejected).to_family());

  families.push_back(histogram("sluice_admission_wait_seconds", "Time from submit to admission.",
                               {}, kWaitBounds, counted.wait.counts, counted.wait.sum));
  families.push_back(histogram("sluice_job_duration_seconds", "Time from admission to the end.", {},
                               kDurationBounds, counted.duration.counts, counted.duration.sum));
}

void append_state(Families& families, const Status& status) {
  families.push_back(gauge("sluice_registered", "1 while this executor takes work, else 0.",
                           status.registered ? 1 : 0));
  families.push_back(
      gauge("sluice_paused", "1 while the operator has paused it, else 0.", status.paused ? 1 : 0));
  families.push_back(gauge("sluice_draining", "1 while it drains and admits no more jobs, else 0.",
                           status.draining ? 1 : 0));

  families.push_back(
      gauge("sluice_full",
            "1 while jobs wait and the machine has no room for them, and for 10 s after, else 0.",
            status.short_of_capacity ? 1 : 0));

  Samples limited = gauges("sluice_admission_limited",
                           "1 for what keeps the first job in line from starting, else 0.");
  for (std::size_t i = 0; i < kRefusalCodes; ++i) {
    const auto code = static_cast<RefusalCode>(i);
    const bool binds = status.limiting && status.limiting->code == code;
    limited.add({{"by", to_string(code)}}, binds ? 1 : 0);
  }
  families.push_back(std::move(limited).to_family());

  Samples transitions = counters("sluice_registration_transitions_total",
                                 "Times it started or stopped taking work, by cause.");
  transitions.add({{"to", "registered"}, {"cause", "ready"}},
                  number(status.counters.registrations));
  for (const RefusalCode cause :
       {RefusalCode::window, RefusalCode::sensor, RefusalCode::paused, RefusalCode::draining}) {
    transitions.add({{"to", "unregistered"}, {"cause", to_string(cause)}},
                    number(status.counters.deregistrations[static_cast<std::size_t>(cause)]));
  }
  families.push_back(std::move(transitions).to_family());
}

void append_service(Families& families, const ServiceFacts& facts) {
  Samples build = gauges("sluice_build_info", "Version of the running program; always 1.");
  build.add({{"version", facts.version}, {"revision", facts.revision}}, 1);
  families.push_back(std::move(build).to_family());

  families.push_back(gauge("sluice_client_connections", "Open client connections.",
                           number(facts.client_connections)));
  Samples requests = counters("sluice_client_requests_total", "Answered client requests.");
  for (const ClientRequests& each : facts.client_requests) {
    const std::string code = std::to_string(each.code);
    requests.add({{"op", each.op}, {"code", code}}, number(each.count));
  }
  families.push_back(std::move(requests).to_family());

  families.push_back(gauge("sluice_config_last_reload_successful",
                           "1 if the last load of the configuration succeeded, else 0.",
                           facts.last_reload_ok ? 1 : 0));
  families.push_back(gauge("sluice_config_last_reload_success_timestamp_seconds",
                           "Unix time of the last successful load of the configuration.",
                           facts.last_reload_unix));
  families.push_back(counter("sluice_config_reload_failures_total",
                             "Loads of the configuration that failed and changed nothing.",
                             number(facts.reload_failures)));
  Samples internal = counters("sluice_internal_errors_total",
                              "Exceptions that the daemon survived, by where they were caught.");
  for (const auto& [place, count] : facts.internal_errors) {
    internal.add({{"place", place}}, number(count));
  }
  families.push_back(std::move(internal).to_family());
  if (facts.statsd_failures) {
    families.push_back(counter("sluice_statsd_send_failures_total",
                               "Statsd datagrams known to be lost.",
                               number(*facts.statsd_failures)));
  }
}

void append_kept(Families& families, const StateFacts& state) {
  families.push_back(gauge("sluice_state_kept",
                           "1 while jobs are stored on disk, 0 while in memory only.",
                           state.path.empty() || state.failing ? 0 : 1));
  families.push_back(gauge("sluice_state_failing",
                           "1 while jobs should be stored on disk and are not, else 0.",
                           state.failing ? 1 : 0));
  Samples jobs = gauges("sluice_state_start_jobs",
                        "Jobs of an earlier run of the daemon, found at the start.");
  jobs.add({{"found", "adopted"}}, number(state.adopted));
  jobs.add({{"found", "released"}}, number(state.released));
  jobs.add({{"found", "restored"}}, number(state.restored));
  families.push_back(std::move(jobs).to_family());
}

void append_record(Families& families, const std::optional<RecordFacts>& record) {
  if (!record) return;
  families.push_back(
      gauge("sluice_record_bytes", "The record of decisions on disk.", number(record->bytes)));
  families.push_back(counter("sluice_record_lost_entries_total",
                             "Entries of the record that could not be written.",
                             number(record->lost)));
  families.push_back(gauge("sluice_record_failing",
                           "1 while decisions should be recorded and are not, else 0.",
                           record->failing ? 1 : 0));
}

void append_shadow(Families& families, const std::optional<ShadowFacts>& shadow) {
  if (!shadow) return;
  families.push_back(gauge("sluice_shadow_window_points", "The window of the other configuration.",
                           number(shadow->size)));
  families.push_back(
      gauge("sluice_shadow_red_sensors", "Its red sensors.", number(shadow->red.size())));
  families.push_back(gauge("sluice_shadow_would_start_jobs",
                           "Waiting jobs that the other configuration would start now.",
                           number(shadow->would_start.size())));
  families.push_back(counter("sluice_shadow_began_jobs_total",
                             "Jobs that have begun and were compared with the other configuration.",
                             number(shadow->began)));
  families.push_back(counter("sluice_shadow_held_jobs_total",
                             "Of these, the jobs that it would have let wait.",
                             number(shadow->held)));
}

void append_jobserver(Families& families, const JobserverFacts& facts) {
  families.push_back(gauge("sluice_jobserver_clients",
                           "Commands that take tokens of the jobserver.", number(facts.clients)));
  Samples tokens =
      gauges("sluice_jobserver_tokens", "Jobserver tokens, each of them a permit, by use.");
  tokens.add({{"state", "in_use"}}, number(facts.in_use));
  tokens.add({{"state", "idle"}}, number(facts.idle));
  families.push_back(std::move(tokens).to_family());
  families.push_back(gauge("sluice_jobserver_debt_tokens",
                           "Tokens to take back as jobs of clients end.", number(facts.debt)));
  families.push_back(counter("sluice_jobserver_tokens_granted_total", "Tokens given to clients.",
                             number(facts.granted)));
  families.push_back(counter("sluice_jobserver_tokens_lost_total",
                             "Tokens that clients never returned, written off.",
                             number(facts.lost)));
  families.push_back(counter("sluice_jobserver_suspensions_total",
                             "Times that the brake suspended a job of a client.",
                             number(facts.suspended)));
}

void append_work_sources(Families& families, const std::vector<WorkSourceFacts>& sources) {
  Samples connected = gauges("sluice_work_source_connected",
                             "1 while connected to a server of a work source, else 0.");
  Samples jobs = gauges("sluice_work_source_jobs", "Unfinished jobs taken from a server.");
  Samples taken = counters("sluice_work_source_taken_total", "Jobs taken from a server.");
  for (const WorkSourceFacts& source : sources) {
    const Labels labels{{"kind", source.kind}, {"server", source.server}};
    connected.add(labels, source.connected ? 1 : 0);
    jobs.add(labels, number(source.jobs));
    taken.add(labels, number(source.taken));
  }
  for (Samples* samples : {&connected, &jobs, &taken})
    families.push_back(std::move(*samples).to_family());
}

void append_brake(Families& families, const ServiceFacts& facts) {
  families.push_back(counter("sluice_job_suspensions_total",
                             "Times that the brake had a job suspended by its holder.",
                             number(facts.suspensions)));
}

void append_kept_memory(Families& families, const std::vector<KeptMemoryFacts>& kept) {
  Samples jobs =
      counters("sluice_memory_predictions_total",
               "Finished jobs of known peak for which memory was kept, by what told it.");
  Samples above = counters("sluice_memory_predictions_exceeded_total",
                           "Of these, those that used more than was kept.");
  Samples byte_seconds =
      counters("sluice_memory_kept_byte_seconds_total", "Memory kept for these jobs, by time.");
  Samples unused = counters("sluice_memory_unused_byte_seconds_total",
                            "The part of it that they never used, by time.");
  for (const KeptMemoryFacts& each : kept) {
    const Labels labels{{"rung", each.rung}};
    jobs.add(labels, number(each.jobs));
    above.add(labels, number(each.above));
    byte_seconds.add(labels, each.byte_seconds);
    unused.add(labels, each.unused);
  }
  for (Samples* samples : {&jobs, &above, &byte_seconds, &unused})
    families.push_back(std::move(*samples).to_family());
}

void append_process(Families& families, const ServiceFacts& facts) {
  families.push_back(counter("process_cpu_seconds_total",
                             "User and system CPU time spent by the process.", facts.cpu_seconds));
  families.push_back(gauge("process_resident_memory_bytes", "Resident memory of the process.",
                           number(facts.resident.value)));
  families.push_back(gauge("process_open_fds", "Open file descriptors.", number(facts.open_fds)));
  if (facts.max_fds) {
    families.push_back(gauge("process_max_fds", "Maximum number of open file descriptors.",
                             number(*facts.max_fds)));
  }
  families.push_back(gauge("process_start_time_seconds", "Unix time at which the process started.",
                           facts.start_unix));
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
  append_brake(families, facts);
  append_kept_memory(families, facts.kept_memory);
  append_jobserver(families, facts.jobserver);
  append_sensors(families, status, facts.now_unix);
  append_process(families, facts);
  std::erase_if(families, [](const Family& family) { return family.samples.empty(); });
  return text_of(families);
}

}  // namespace sluice
