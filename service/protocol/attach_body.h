#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "service/protocol/api_error.h"
#include "sluice/units.h"

namespace sluice {

/// Describes one of the descriptors sent with `POST /v1/attach`, in their order.
struct SentDirectory {
  std::string controllers;  ///< As in /proc/PID/cgroup; empty for v2.
  std::string path;         ///< The owner's name for it; for people only.
};

/// What an executor may use according to its own group; nullopt if unlimited.
struct ExecutorLimits {
  std::optional<Bytes> memory;
  std::optional<double> cpus;
};

/// Reads the body of `POST /v1/attach`:
/// `{"directories": [{"controllers": "memory", "path": "/sys/fs/cgroup/memory"}]}`. Pure; never
/// throws for any bytes.
std::variant<std::vector<SentDirectory>, ApiError> parse_attach_body(std::string_view text);

}  // namespace sluice
