#pragma once

#include <cstdint>

#include "host_model.h"
#include "sluice/options.h"

namespace sluice::model {

/// The policy that controls the machine.
enum class Policy { rfc, adaptive, on_off };

/// When jobs arrive: always more than fit, or three jobs per core every 40 minutes.
enum class Arrivals { endless, bursts };

/// One experiment.
struct Scenario {
  HostShape host = {};
  Arrivals arrivals = Arrivals::endless;
  std::uint64_t seed = 1;
  int hours = 4;
  WindowOptions window = {};  ///< The policy overrides `law`.
  double load_limit = 2.5;    ///< Per core; for Sluice's laws, not for the on/off governor.
  ReservationOptions reservation = {};  ///< For the governor's own core only.
};

/// The result. Steady figures exclude the first hour.
struct Figures {
  double jobs_per_hour = 0;
  double killed_per_hour = 0;
  double killed_first_hour = 0;      ///< Kills in the first hour.
  double killed_later_per_hour = 0;  ///< From the second hour on; 0 if there is none.
  double over_per_hour = 0;  ///< Seconds an hour with load or memory over its limit; no hysteresis.
  double red_per_hour = 0;   ///< Seconds an hour the policy saw load or memory as red.
  double busy = 0;           ///< Part of the CPU that was busy.
  double useful = 0;         ///< Part of the CPU spent on jobs that finished.
  double running_mean = 0;   ///< Jobs; steady.
  double running_sd = 0;     ///< Jobs; steady.
  double running_most = 0;   ///< Jobs.
  double load_most = 0;      ///< Highest load1 per core.
  double reversals_per_hour =
      0;                 ///< Window: turns from growing to shrinking and back. On/off: flips.
  double wait_mean = 0;  ///< Seconds from arrival to start; bursts only.
};

/// Accumulates the observations of each second.
class Observer {
 public:
  explicit Observer(const Scenario& scenario) : scenario_(scenario) {}

  /// `red`: as the policy judges; `killed`: jobs so far.
  void see(std::int64_t second, const HostView& host, bool red, std::int64_t killed);
  Figures figures(const HostTally& tally, int reversals) const;

 private:
  Scenario scenario_;
  double over_ = 0, red_ = 0, load_most_ = 0, running_most_ = 0;
  double steady_ = 0, running_ = 0, running_squares_ = 0;
  std::int64_t killed_first_hour_ = 0;
};

/// Runs the experiment. The same scenario gives the same figures.
Figures simulate(Policy policy, const Scenario& scenario);

/// Adds `part` of `one` to `sum`, and also multiplies counts of jobs by `scale`: this makes
/// machines of different sizes comparable by their results on equally many cores.
void add_to(Figures& sum, const Figures& one, double part, double scale = 1);

/// The mean over the seeds 1 to `seeds`.
Figures simulate_seeds(Policy policy, Scenario scenario, int seeds);

}  // namespace sluice::model
