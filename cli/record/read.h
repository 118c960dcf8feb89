#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/record/open.h"

namespace sluice::cli {

/// What to show of which record.
struct RecordQuery {
  enum class Print { text, json };
  enum class Then { end, follow };

  RecordPlace place;
  Print print = Print::text;
  std::size_t count = 20;  ///< Entries of `tail`.
  Then then = Then::end;   ///< Of `tail`.
  std::string from, to;    ///< Of `export`; empty for all.
  std::string job, at;     ///< Of `why`: one of them.
  std::optional<std::size_t>
      most_jobs;         ///< That `why --at` lists of those that run, and that wait.
  std::string names_of;  ///< Whose jobs have names, see `naming_jobs_of`; empty for all.
  /// Of `why --at`, for a time that the clock passed more than once: which one, counted from 1;
  /// nullopt for the last.
  std::optional<std::size_t> occurrence;
  /// Exit statuses of `why --at`, for a moment outside the record, and for one that did not occur
  /// so often; nullopt for the usual ones.
  std::optional<int> outside_status, occurrence_status;
};

// The subcommands, which print to standard output and return the exit status. They throw
// std::runtime_error if there is no record, or nothing in it of the time that is asked for.

int list_record(const RecordQuery& query);
int tail_record(const RecordQuery& query);
int export_record(const RecordQuery& query);

}  // namespace sluice::cli
