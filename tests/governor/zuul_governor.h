#pragma once

#include <cstdint>

#include "host_model.h"

namespace sluice::model {

/// The on/off governor of Zuul's executor (2025), as a peer to compare with: it accepts while
/// every sensor is green, asks them every 10 s and after each accepted build, and knows neither
/// window nor hysteresis. Sensors: load1, available memory and builds in set-up.
class ZuulGovernor {
 public:
  explicit ZuulGovernor(int cpus);

  /// Asks the sensors; decides whether builds are accepted from now on.
  void manage_load(const HostView& host);

  /// To be called every second: manages the load every tenth.
  void tick(std::int64_t second, const HostView& host);

  bool accepting() const { return accepting_; }

  /// Most builds in set-up while `running` run, those in set-up counted; red at that many.
  int starting_limit(int running) const;

  /// The load or memory sensor is red.
  bool host_red(const HostView& host) const;

  /// How long an executor waits before it takes a build, to let less busy ones have it. Seconds.
  static double grab_delay(int running) { return running * running / 1000.0; }

 private:
  double most_load_;
  int most_starting_;
  int least_starting_;
  bool accepting_ = true;
};

}  // namespace sluice::model
