#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vocabulary/phrases.h"

namespace sluice {

/// The error in a job's id or another one-line text; empty if it is valid: 1 to `kMostNameBytes`
/// bytes without control characters.
std::string problem_of_label(std::string_view label);

/// The same for a job's key, which may have `kMostKeyBytes` bytes, as in the API.
std::string problem_of_key(std::string_view key);

/// The error in the name of a program's file, without a folder; empty if it is valid.
std::string problem_of_file_name(std::string_view name);

/// The error in the name of a user's own sensor; empty if it is valid.
std::string problem_of_sensor_name(std::string_view name);

/// The error in a lock declaration in which `{param}` stands for a job's parameters, whatever their
/// values; empty if it is valid.
std::string problem_of_lock_template(std::string_view text);

/// The number of names in such a declaration; 0 if it is invalid.
std::size_t count_lock_names(std::string_view text);

/// "unknown queue `nightl`; did you mean `nightly`?", or lists the known names. `what` is the kind
/// of thing: "queue".
std::string unknown_name(const std::string& what, std::string_view name,
                         const std::vector<std::string>& known);

}  // namespace sluice
