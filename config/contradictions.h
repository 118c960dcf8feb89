#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/config.h"

namespace sluice {

/// Collects the contradictions of a configuration, each at the position of a given value.
class Contradictions {
 public:
  explicit Contradictions(const Config& config) : config_(config) {}

  bool given(const std::string& path) const { return config_.given.contains(path); }

  /// Adds an error at the position of `path`, which must have been given.
  void add(const std::string& path, std::string message) {
    const ConfigPosition at = config_.given.at(path);
    errors_.push_back({config_.file, at.line, at.column, std::move(message)});
  }

  /// Adds an error if both were given and `low` is above `high`.
  template <typename T, typename Print>
  void order(const std::string& low, const T& low_value, const std::string& high,
             const T& high_value, Print print) {
    if (!given(low) || !given(high) || low_value <= high_value) return;
    add(low, low + " (" + print(low_value) + ") must not be above " + high + " (" +
                 print(high_value) + ")");
  }

  std::vector<ConfigError> take_errors() { return std::move(errors_); }

 private:
  const Config& config_;
  std::vector<ConfigError> errors_;
};

/// Adds the contradictions within `work_sources`.
void check_work_sources(const Config& config, Contradictions& found);

/// Adds the contradictions within `autoscale`.
void check_autoscaling(const Config& config, Contradictions& found);

/// Contradictions among the given values, each at the position of one of them. Values that were not
/// given are not compared: their defaults yield.
std::vector<ConfigError> find_contradictions(const Config& config);

}  // namespace sluice
