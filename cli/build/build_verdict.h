#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/build/build_terms.h"
#include "cli/jobserver/tool_command.h"
#include "recognition/build_record.h"
#include "recognition/number_check.h"

namespace sluice::cli {

/// The number of jobs that a tool was asked for.
struct AskedNumber {
  std::string program;  ///< "make".
  std::size_t jobs = 0;
};

/// "cc1 foo.c held 310 MiB when the kernel killed a process for memory: it may be the one …". Pure.
std::string maybe_killed_sentence(const BuildRun& run);

/// "jobs waited 5 min 12 s in all: 71% for memory, 29% for another build"; empty if they waited for
/// less than half a second. Pure.
std::string waited_sentence(const BuildReport& report);

/// "make was asked for 8 at once; at most 3 ran; the 8 heaviest together would have needed
/// 6.2 GiB, more than there is (4.0 GiB)": the sum of their peaks. Empty unless fewer ran than were
/// asked for. Pure.
std::string number_sentence(const BuildReport& report, const std::optional<AskedNumber>& asked,
                            const std::optional<Bytes>& memory);

/// "the build took 1 min 01 s; with any number it takes at least 41 s: its CPU time on 2 CPUs".
/// Empty if it took less than half a second of CPU time, or had more CPUs than there are at its
/// end. Pure.
std::string time_sentence(const BuildTerms& terms);

/// "the heaviest: cc1plus a.cc 3.1 GiB (waited 12 s for memory, 1 s for the window), ld prog
/// 1.0 GiB": at most ten. Empty if none was measured. Pure.
std::string heaviest_sentence(const BuildReport& report);

/// "make may start 100 at once; about 12 of what it runs now fit (memory)", or "…; about 3 fit now
/// (cpus): nothing is known yet of what it runs". Pure.
std::string too_many_sentence(const AskedNumber& asked, const FittingJobs& fitting,
                              const std::string& bound);

/// Says how a build went: what was killed for memory, for what its jobs waited, what the number
/// that was asked for would have needed and saved at most, and its heaviest runs. The waits need
/// --verbose only if they were less than 10 s in all or `telling` is silent; the heaviest runs
/// always do.
void tell_end(const BuildReport& report, const std::optional<AskedNumber>& asked,
              const BuildTerms& terms, WaitTelling telling, const ToolReporter& reporter);

}  // namespace sluice::cli
