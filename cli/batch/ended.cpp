#include "cli/batch/ended.h"

#include <sys/wait.h>

#include "base/seconds.h"
#include "base/text.h"

namespace sluice::cli {
namespace {
using Because = BatchProcesses::Because;

JoblogLine line_of(const BatchJob& job) {
  JoblogLine line;
  line.seq = job.seq;
  line.command = job.line;
  line.id = job.request.id;
  line.key = job.request.key;
  return line;
}

}  // namespace

std::string how_of(const BatchProcesses::Ended& ended, std::optional<Duration> timeout) {
  if (ended.because == Because::brake) return "ended by the memory brake: memory ran short";
  if (ended.because != Because::timeout || !timeout) return ended.end.sentence();
  return "timed out after " + duration_text(*timeout);
}

JoblogLine line_of_unstarted(const BatchJob& job, std::int64_t cost, double now) {
  JoblogLine line = line_of(job);
  line.started = now;
  line.exit_status = 127;
  line.outcome = "failed";
  line.cost = cost;
  return line;
}

JoblogLine line_of_refused(const TrackedJob& tracked, Duration waited, double now) {
  JoblogLine line = line_of_unstarted(tracked.job, 0, now);
  line.outcome = "refused";
  line.attempt = tracked.attempts;
  line.waited = to_seconds(waited);
  return line;
}

JoblogLine line_of(const TrackedJob& tracked, const BatchProcesses::Ended& ended) {
  JoblogLine line = line_of(tracked.job);
  const RunEnd& end = ended.end;
  line.started = ended.started;
  line.runtime = to_seconds(end.usage.wall);
  line.received = ended.streams.output ? ended.streams.size() : 0;
  line.exit_status = WIFEXITED(end.status) ? WEXITSTATUS(end.status) : 0;
  line.signal = WIFSIGNALED(end.status) ? WTERMSIG(end.status) : 0;
  line.outcome = to_string(ended.outcome());
  if (ended.because == Because::timeout) {
    line.exit_status = -1;
    line.outcome = "timeout";
  }
  line.attempt = tracked.attempts;
  line.waited = ended.waited;
  line.cost = ended.cost;
  line.cpu_seconds = to_seconds(end.usage.cpu);
  line.peak_memory = end.usage.peak_memory.value;
  return line;
}

}  // namespace sluice::cli
