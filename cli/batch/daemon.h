#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "cli/batch/admission_backend.h"

namespace sluice::cli {

/// The governor of the daemon that `socket` (a path, or empty for the default) leads to, or one
/// line that says why it cannot be asked. Each job holds a connection of its own from its
/// submission on, so that it ends with this process. `most_running`: a cap in addition to the
/// window.
std::variant<std::unique_ptr<AdmissionBackend>, std::string> daemon_backend(
    const std::string& socket, std::optional<std::size_t> most_running);

}  // namespace sluice::cli
