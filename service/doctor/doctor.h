#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/doctor/survey.h"

namespace sluice {

/// One line of the report.
struct Finding {
  enum class State {
    good,
    limited,  ///< Sluice works, but with less than it could have.
    broken    ///< Something needs repair.
  };
  State state = State::good;
  std::string check;   ///< One word: "cgroups", "swap"…
  std::string found;   ///< What was found: a sentence without its full stop.
  std::string advice;  ///< What to do; empty if all is good.
};

/// "ok", "limited", "broken"
std::string_view to_string(Finding::State state);

/// What the survey means for jobs: at least one finding per check, always in the same order. Pure.
std::vector<Finding> findings_of(const HostSurvey& survey);

/// The findings that memory is not accounted for this process's group, made without a walk through
/// the group tree, for the daemon's log.
std::vector<Finding> memory_findings();

/// Whether any finding is broken. Pure.
bool is_broken(const std::vector<Finding>& findings);

}  // namespace sluice
