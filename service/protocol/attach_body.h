#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "service/protocol/api_error.h"
#include "sluice/units.h"

namespace sluice {

/// What is said of one of the descriptors that come with `POST /v1/attach`, in their order.
struct SentDirectory {
  std::string controllers;  ///< As in /proc/PID/cgroup; empty is v2.
  std::string path;         ///< What its owner calls it; for people alone.
};

/// What an executor may use by its own group; none is unlimited.
struct ExecutorLimits {
  std::optional<Bytes> memory;
  std::optional<double> cpus;
};

/// Reads the body of `POST /v1/attach`:
/// `{"directories": [{"controllers": "memory", "path": "/sys/fs/cgroup/memory"}]}`. Pure; never
/// throws for any bytes.
std::variant<std::vector<SentDirectory>, ApiError> parse_attach_body(std::string_view text);

}  // namespace sluice
