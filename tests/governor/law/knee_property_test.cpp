// Properties of `law: knee` that hold whatever it sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "governor/law/cores.h"
#include "window_script.h"

namespace sluice::window_test {
namespace {

/// A window under `law: knee` that sees random samples, four a second.
class AnyKnee {
 public:
  explicit AnyKnee(std::uint64_t seed) : random_(seed), window_(open(Law::knee, 30, 400)) {}

  WindowStep next(const JudgedSensor& sensor) {
    now_ += 0.25;
    const std::vector<JudgedSensor> sensors{sensor};
    const double usage = below(1.5 * static_cast<double>(size()));
    WindowInput input{
        Points{static_cast<std::int64_t>(usage)}, chance(0.7), true, sensors, at(now_), {}};
    input.knee.demand = below(8);
    input.knee.neighbours = below(4);
    next_ = input.knee.next = chance(0.2) ? 0 : below(4);
    input.knee.ramp = chance(0.5) ? Duration(0) : from_seconds(below(2));
    if (chance(0.95)) input.knee.use = use();
    const WindowStep step = step_window(window_.parameters, window_.state, input);
    window_.state = step.state;
    return step;
  }

  std::int64_t size() const { return window_.size(); }
  /// Points that the job that waited next is expected to cost.
  std::int64_t job() const { return points_of(next_).value; }

 private:
  double below(double most) { return std::uniform_real_distribution<>(0, most)(random_); }
  bool chance(double part) { return below(1) < part; }

  MachineUse use() {
    MachineUse use;
    use.span = std::chrono::milliseconds(250);
    use.cpus = 4;
    use.busy = std::min(1.0, below(1.5));
    use.cores = use.busy * use.cpus;
    use.waiting = chance(0.5) ? 0 : below(2);
    use.own_waiting = below(use.waiting);
    use.io_waiting = below(0.4);
    use.sectors = below(5000);
    use.ended = below(100);
    return use;
  }

  std::mt19937_64 random_;
  Window window_;
  double now_ = 0, next_ = 0;
};

constexpr int kKneeSeeds = 20, kKneeSamples = 1000;

TEST(KneeProperty, TheSizeStaysInItsBoundsAndGrowsAtMostByADoublingOrOneJobInASample) {
  for (std::uint64_t seed = 0; seed < kKneeSeeds; ++seed) {
    AnyKnee knee(seed);
    for (int i = 0; i < kKneeSamples; ++i) {
      const std::int64_t before = knee.size();
      const WindowStep step = knee.next(i % 50 == 49 ? red(1.3, "memory") : green(0.3));
      ASSERT_GE(knee.size(), 10) << seed << ", " << i;
      ASSERT_LE(knee.size(), 400) << seed << ", " << i;
      ASSERT_LE(knee.size(), std::max(2 * before, before + knee.job())) << seed << ", " << i;
      ASSERT_EQ(step.cause.has_value(), knee.size() != before) << seed << ", " << i;
    }
  }
}

TEST(KneeProperty, NothingGrowsWhileASensorIsRedOrBlind) {
  const JudgedSensor holding[] = {red(1.1), red_gate(1), stale(0.5), blind_gate()};
  for (std::uint64_t seed = 0; seed < kKneeSeeds; ++seed) {
    AnyKnee knee(seed);
    for (int i = 0; i < kKneeSamples; ++i) {
      const std::int64_t before = knee.size();
      const bool holds = i % 3 == 0;
      knee.next(holds ? holding[i / 3 % 4] : green(0.3));
      ASSERT_TRUE(!holds || knee.size() <= before) << seed << ", " << i;
    }
  }
}

}  // namespace
}  // namespace sluice::window_test
