#pragma once

#include "cli/batch/admission_backend.h"
#include "cli/batch/output.h"
#include "cli/batch/reporter.h"
#include "cli/batch/settings.h"
#include "cli/batch/table.h"
#include "cli/batch/work.h"

namespace sluice::cli {

/// Reports jobs that will not run.
void tell_dropped(const BatchTable::Dropped& dropped, BatchReporter& reporter, BatchOutput& output);

/// Loads a batch's jobs into its table: jobs known in advance, whole files, and streams line by
/// line. Reports unusable lines.
class BatchIntake {
 public:
  BatchIntake(BatchWork& work, const BatchSettings& settings, const AdmissionBackend& backend,
              BatchTable& table, BatchReporter& reporter, BatchOutput& output);

  /// Takes everything available at the start. Returns false if a file has a bad line; then nothing
  /// runs.
  bool take_known();
  /// Takes the next available line of a stream; false if there is none. A bad line counts as a
  /// failed job, since others have run already.
  bool take_line();

  /// Whether some job so far may wait for something that another does not.
  bool has_specials() const { return specials_; }

 private:
  void enlist(BatchJob job);

  BatchWork& work_;
  bool suspendable_;
  const CheckJob check_;
  BatchTable& table_;
  BatchReporter& reporter_;
  BatchOutput& output_;
  bool specials_;
};

}  // namespace sluice::cli
