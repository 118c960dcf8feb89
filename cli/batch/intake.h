#pragma once

#include <string>

#include "cli/batch/door.h"
#include "cli/batch/output.h"
#include "cli/batch/settings.h"
#include "cli/batch/table.h"
#include "cli/batch/teller.h"
#include "cli/batch/work.h"

namespace sluice::cli {

/// Tells of jobs that will not be run.
void tell_dropped(const BatchTable::Dropped& dropped, BatchTeller& teller, BatchOutput& output);

/// Brings what a batch is made of into its table: jobs that are known, whole files, and streams
/// line by line. What cannot be used is told.
class BatchIntake {
 public:
  BatchIntake(BatchWork& work, const BatchSettings& settings, const BatchDoor& door,
              BatchTable& table, BatchTeller& teller, BatchOutput& output);

  /// All that is known already. False: a file has a bad line, and then nothing is to run.
  bool take_known();
  /// The next line of a stream that has come; false: there is none. A bad line counts as a job
  /// that failed, since others have run already.
  bool take_line();

  /// Whether any job so far may wait for something that another one does not wait for.
  bool has_specials() const { return specials_; }

 private:
  void enlist(BatchJob job);
  std::string problem_of(const BatchJob& job);

  BatchWork& work_;
  bool suspendable_;
  const BatchDoor& door_;
  BatchTable& table_;
  BatchTeller& teller_;
  BatchOutput& output_;
  bool specials_;
};

}  // namespace sluice::cli
