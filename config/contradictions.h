#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/config.h"

namespace sluice {

/// Collects what contradicts something else in a configuration, each at the place of a value that
/// was given.
class Contradictions {
 public:
  explicit Contradictions(const Config& config) : config_(config) {}

  bool given(const std::string& path) const { return config_.given.contains(path); }

  /// Adds an error at the place of `path`, which was given.
  void add(const std::string& path, std::string message) {
    const ConfigPosition at = config_.given.at(path);
    errors_.push_back({config_.file, at.line, at.column, std::move(message)});
  }

  /// `low` must not be above `high`.
  template <typename T, typename Print>
  void order(const std::string& low, const T& low_value, const std::string& high,
             const T& high_value, Print print) {
    if (!given(low) || !given(high) || low_value <= high_value) return;
    add(low, low + " (" + print(low_value) + ") must not be above " + high + " (" +
                 print(high_value) + ")");
  }

  std::vector<ConfigError> take() { return std::move(errors_); }

 private:
  const Config& config_;
  std::vector<ConfigError> errors_;
};

/// What `work_sources` say of themselves.
void check_work_sources(const Config& config, Contradictions& found);

/// What `autoscale` says of itself.
void check_autoscaling(const Config& config, Contradictions& found);

/// What `contention`, `queues`, `resources`, `keys` and `rules` say of each other.
void check_queueing(const Config& config, Contradictions& found);

}  // namespace sluice
