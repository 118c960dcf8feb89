#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "record/job_entry.h"
#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice::cli {

/// All pending jobs of a record in one order, as the governor numbers them. Each call but `indices`
/// takes time by the logarithm of their number, in whatever queues they stand.
class WaitingLine {
 public:
  /// The job, `index` of the story, comes to the end.
  void come(std::size_t index, JobId job, const std::string& queue);
  /// The job waits no longer.
  void go(JobId job);
  /// Moves the job to the queue of the change, and there to its place. It keeps its place without
  /// one, or beside a job that does not wait.
  void change(JobId job, const record::JobChanged& change);
  /// The indices of all, in order.
  std::vector<std::size_t> indices() const;

 private:
  using Where = JobChange::Position::Where;
  /// Numbers with room between them, in the order of the jobs.
  __extension__ using Label = unsigned __int128;
  static constexpr Label kFirst = Label{1} << 127, kStep = Label{1} << 80;
  struct Waiting {
    std::size_t index = 0;
    JobId job;
    std::string queue;
  };
  using Line = std::map<Label, Waiting>;

  Line::iterator next_place(Line::iterator moved, Where where, JobId of);
  bool has_room_before(Line::iterator next);
  Label label_before(Line::iterator next, Where where);
  void relabel(Line::iterator job, Label label);
  void spread();

  Line line_;
  std::map<std::string, std::set<Label>> queues_;
  std::map<JobId, Label> places_;
};

}  // namespace sluice::cli
