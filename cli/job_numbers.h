#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace sluice::cli {

/// The variables by which tools that take one number of jobs learn of it. Values that somebody set
/// stay: neither MAX_JOBS=2 nor `-p=3` in GOFLAGS is changed. `variable` returns the value of one,
/// or null. Pure.
///
/// Left out: MAKEFLAGS (make takes tokens under `sluice build`), GOMAXPROCS and OMP_NUM_THREADS
/// (threads of one process), and jest, which reads no variable.
std::map<std::string, std::string> job_numbers(
    std::size_t jobs, const std::function<const char*(const char*)>& variable);

}  // namespace sluice::cli
