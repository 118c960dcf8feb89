#pragma once

#include <cstdint>

#include "host_model.h"

namespace sluice::model {

/// The on/off governor of Zuul's executor (2025), for comparison: it accepts while every sensor is
/// green, polls them every 10 s and after each accepted build, and has neither window nor
/// hysteresis. Sensors: load1, available memory and builds in set-up.
class ZuulGovernor {
 public:
  explicit ZuulGovernor(int cpus);

  /// Polls the sensors and decides whether to accept builds from now on.
  void manage_load(const HostView& host);

  /// Call every second; manages the load every tenth.
  void tick(std::int64_t second, const HostView& host);

  bool accepting() const { return accepting_; }

  /// Maximum of builds in set-up while `running` run, including those in set-up; red at that
  /// number.
  int starting_limit(int running) const;

  /// Whether the load or memory sensor is red.
  bool host_red(const HostView& host) const;

  /// Seconds an executor waits before it takes a build, which leaves builds to less busy ones.
  static double grab_delay(int running) { return running * running / 1000.0; }

 private:
  double most_load_;
  int most_starting_;
  int least_starting_;
  bool accepting_ = true;
};

}  // namespace sluice::model
