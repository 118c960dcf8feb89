#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "fakes.h"
#include "repetitions.h"

namespace sluice {
namespace {

using fakes::at;

struct Waiting {
  Points cost;
  int priority = 0;
  bool has_own_cost = false;
};

enum class Events { needed, harmless_too };

/// Sends one core a long random sequence of events and checks the invariants after each. Computes
/// its expectations from the answers alone.
class Life {
 public:
  Life(std::uint64_t seed, Events events) : random_(seed), events_(events), core_(make_core()) {}

  /// One random event, the pass that follows it, and the invariants.
  void step() {
    now_ += Duration{static_cast<std::int64_t>(random_() % 2'000'000'000)};
    event();
    if (events_ == Events::harmless_too) bother();
    run_pass();
    EXPECT_TRUE(core_.pass(now_).empty()) << "a second pass admitted something";
    check();
  }

  /// Every admission and every window change, in order.
  const std::string& trace() const { return trace_; }

 private:
  GovernorOptions options() {
    GovernorOptions options = fakes::window_of(20 + pick(60), 100 + pick(100));
    options.window.law = random_() % 2 != 0 ? Law::rfc : Law::adaptive;
    options.window.step = Points{1 + pick(20)};
    options.window.round = std::chrono::seconds(pick(20));
    options.window.dwell = std::chrono::seconds(pick(5));
    options.starting_most = 1 + static_cast<int>(pick(20));
    options.starting_floor = 1 + static_cast<int>(pick(3));
    options.max_pending = 30;
    options.queueing.queues["default"].backfill = 0;  // Nothing may overtake.
    return options;
  }

  std::vector<KnownSensor> sensors() {
    std::vector<KnownSensor> sensors;
    for (const std::string_view name : {"load", "memory", "disk"}) {
      if (pick(4) == 0) continue;
      SensorPolicy policy;
      policy.acts = name == "disk" ? Acts::gate : Acts::congestion;
      policy.on_error = static_cast<OnError>(pick(4));
      policy.resume = pick(2) != 0 ? 1 : 0.9;
      sensors.push_back(fakes::known(name, policy));
    }
    sensor_count_ = sensors.size();
    return sensors;
  }

  Core make_core() {
    auto first_options = options();
    return Core(std::move(first_options), fakes::flat(7), sensors(), now_);
  }

  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }

  template <typename Map>
  auto any(Map& map) {
    return std::next(map.begin(), pick(static_cast<std::int64_t>(map.size())));
  }

  JobRequest job() {
    JobRequest job = fakes::costing(1 + pick(pick(10) == 0 ? 250 : 30), static_cast<int>(pick(4)));
    if (pick(5) == 0) job.cost.reset();
    job.reports_started = pick(2) != 0;
    return job;
  }

  void event() {
    switch (pick(12)) {
      case 0:
      case 1:
      case 2:
        return submit();
      case 3:
      case 4:
        return try_admit();
      case 5:
        return cancel();
      case 6:
      case 7:
        return finish();
      case 8:
        if (!running_.empty()) core_.started(any(running_)->first);
        return;
      case 9:
        return core_.operate(pick(6) != 0 ? Switch::running : static_cast<Switch>(pick(3)));
      case 10:
        return sweep();
      default:
        if (pick(20) == 0) return reload();
        if (const auto change = core_.adjust_window(now_)) note("window", change->to.value);
        core_.check_registration(now_);
    }
  }

  void submit() {
    const JobRequest request = job();
    const auto result = core_.submit(request, now_);
    if (const auto* queued = std::get_if<Queued>(&result)) {
      waiting_[queued->id] = {core_.cost_of(request), request.priority.value_or(0),
                              request.cost.has_value()};
      ++submitted_;
    } else {
      check_numbers(std::get<Refusal>(result), request);
    }
  }

  void try_admit() {
    const JobRequest request = job();
    const Points usage = core_.usage();
    const auto result = core_.try_admit(request, now_);
    if (const auto* admitted = std::get_if<Admitted>(&result)) {
      ++submitted_;
      note("tried", static_cast<std::int64_t>(admitted->id.value));
      EXPECT_TRUE(usage == Points{0} || usage + admitted->cost <= core_.size());
      for (const auto& [id, other] : waiting_) EXPECT_LT(other.priority, request.priority);
      run(*admitted);
      return;
    }
    const auto& refusal = std::get<Refusal>(result);
    check_numbers(refusal, request);
    if (refusal.code == RefusalCode::behind) {
      ASSERT_TRUE(waiting_.contains(refusal.ahead));
      EXPECT_GE(waiting_[refusal.ahead].priority, request.priority);
    }
  }

  void check_numbers(const Refusal& refusal, const JobRequest& request) {
    EXPECT_EQ(refusal.cost, core_.cost_of(request));
    EXPECT_EQ(refusal.usage, core_.usage());
    EXPECT_EQ(refusal.size, refusal.code == RefusalCode::impossible ? core_.options().window.maximum
                                                                    : core_.size());
  }

  void cancel() {
    if (waiting_.empty()) return;
    const JobId id = any(waiting_)->first;
    EXPECT_TRUE(core_.cancel(id));
    waiting_.erase(id);
    ++cancelled_;
  }

  void finish() {
    if (running_.empty()) return;
    const auto job = any(running_);
    core_.finish(job->first, static_cast<Outcome>(pick(4)), now_);
    running_.erase(job);
    ++finished_;
  }

  void sweep() {
    std::vector<TimedMeasurement> sweep;
    for (std::size_t i = 0; i < sensor_count_; ++i) {
      const double pressure = static_cast<double>(pick(104)) / 100;
      auto seen = pick(6) == 0 ? fakes::failed(now_) : fakes::measured(now_, pressure);
      sweep.push_back({std::move(seen), Duration{0}});
    }
    core_.observe(sweep, now_);
  }

  void reload() {
    const auto next = options();
    core_.reload(next, fakes::flat(1 + pick(20)), sensors(), now_);
    for (auto& [id, job] : waiting_) {
      if (!job.has_own_cost) job.cost = core_.cost_of(JobRequest{});
    }
  }

  /// Calls that may be made at any time without changing anything.
  void bother() {
    run_pass();
    core_.status(now_);
    core_.jobs(now_);
    core_.job(JobId{1}, now_);
    core_.cancel(JobId{1'000'000});
    core_.operate(core_.operated());
    core_.why_full();
  }

  void run_pass() {
    Points usage = core_.usage();
    for (const Admitted& admitted : core_.pass(now_)) take(admitted, usage);
  }

  void take(const Admitted& admitted, Points& usage) {
    note("admitted", static_cast<std::int64_t>(admitted.id.value));
    ASSERT_TRUE(waiting_.contains(admitted.id));
    const Waiting job = waiting_[admitted.id];
    for (const auto& [id, other] : waiting_) {
      EXPECT_TRUE(job.priority > other.priority ||
                  (job.priority == other.priority && admitted.id <= id))
          << "overtook job " << id.value;
    }
    EXPECT_TRUE(usage == Points{0} || usage + job.cost <= core_.size());
    EXPECT_EQ(core_.operated(), Switch::running);
    EXPECT_EQ(admitted.cost, job.cost);
    usage += job.cost;
    waiting_.erase(admitted.id);
    run(admitted);
  }

  void run(const Admitted& admitted) {
    EXPECT_FALSE(running_.contains(admitted.slot)) << "one slot, two jobs";
    running_[admitted.slot] = admitted;
  }

  void check() {
    Points held;
    for (const auto& [slot, job] : running_) held += job.cost;
    Points wanted;
    for (const auto& [id, job] : waiting_) wanted += job.cost;
    const Status status = core_.status(now_);
    EXPECT_EQ(core_.usage(), held);
    EXPECT_EQ(status.running, running_.size());
    EXPECT_EQ(status.pending, waiting_.size());
    EXPECT_EQ(status.pending_cost, wanted);
    EXPECT_LE(status.starting, status.running);
    EXPECT_LE(core_.options().window.minimum, status.size);
    EXPECT_LE(status.size, core_.options().window.maximum);

    const Counters& counters = status.counters;
    const auto finished =
        std::accumulate(counters.finished.begin(), counters.finished.end(), std::uint64_t{0});
    EXPECT_EQ(counters.submitted, submitted_);
    EXPECT_EQ(counters.submitted, counters.admitted + status.pending + counters.cancelled);
    EXPECT_EQ(counters.admitted - finished, status.running);
    EXPECT_EQ(counters.cancelled, cancelled_);
    EXPECT_EQ(finished, finished_);
    if (waiting_.empty() || !running_.empty() || core_.why_closed()) return;
    ADD_FAILURE() << "idle, open, and somebody waits";
  }

  void note(const std::string& what, std::int64_t number) {
    trace_ += what + ' ' + std::to_string(number) + '\n';
  }

  std::mt19937_64 random_;
  Events events_;
  TimePoint now_;
  std::size_t sensor_count_ = 0;
  std::map<JobId, Waiting> waiting_;
  std::map<std::uint32_t, Admitted> running_;
  std::uint64_t submitted_ = 0, cancelled_ = 0, finished_ = 0;
  std::string trace_;
  Core core_;
};

constexpr int kSteps = repetitions(4000);

TEST(CoreProperty, InvariantsHoldThroughLongRandomLives) {
  std::string all;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Life life(seed, Events::needed);
    for (int i = 0; i < kSteps && !::testing::Test::HasFailure(); ++i) life.step();
    all += life.trace();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
  // Runs with few events would prove little.
  EXPECT_GT(std::count(all.begin(), all.end(), '\n'), repetitions(5'000));
  EXPECT_NE(all.find("window"), std::string::npos);
  EXPECT_NE(all.find("tried"), std::string::npos);
}

TEST(CoreProperty, SameEventsGiveTheSameDecisions) {
  Life one(99, Events::needed);
  Life other(99, Events::needed);
  for (int i = 0; i < kSteps; ++i) {
    one.step();
    other.step();
  }
  EXPECT_EQ(one.trace(), other.trace());
}

TEST(CoreProperty, HarmlessEventsChangeNoDecision) {
  for (std::uint64_t seed = 200; seed < 205; ++seed) {
    Life plain(seed, Events::needed);
    Life bothered(seed, Events::harmless_too);
    for (int i = 0; i < kSteps; ++i) {
      plain.step();
      bothered.step();
    }
    EXPECT_EQ(plain.trace(), bothered.trace());
  }
}

}  // namespace
}  // namespace sluice
