// No job waits for ever: the bound of docs/starvation.md on random mixes of jobs, in the case that
// meets it, and beyond its conditions.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "repetitions.h"
#include "vectors.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::exclusive;
using fakes::in_queue;
using fakes::shared;
using fakes::slot_job;

template <typename AnyCore>
class Starvation : public ::testing::Test {};
TYPED_TEST_SUITE(Starvation, fakes::BothCores);

struct Arrival {
  int second = 0;
  JobRequest request;
  int runs = 0;  ///< Run time in seconds.
};

struct Mix {
  GovernorOptions options;
  std::vector<Arrival> arrivals;  ///< In order of time.
};

/// The outcome for one job.
struct Waited {
  std::int64_t arrived = 0;
  std::optional<std::int64_t> admitted;  ///< nullopt if not admitted by the end.
};

std::int64_t seconds(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

/// Runs a mix on a virtual clock, with a pass at every end, submit and aging boundary.
template <typename AnyCore>
class World {
 public:
  explicit World(Mix mix) : World(std::move(mix), fakes::flat(1)) {}
  World(Mix mix, CostModel model)
      : mix_(std::move(mix)), core_(mix_.options, std::move(model), {}, at(0)) {}
  virtual ~World() = default;

  /// In order of arrival.
  std::vector<Waited> run(std::int64_t until = 1'000'000) {
    while (const auto next = next_instant()) {
      if (*next > until) break;
      now_ = *next;
      instant();
    }
    return waited_;
  }

 protected:
  virtual void before_pass(TimePoint) {}
  AnyCore& core() { return core_; }
  /// Slots, by end time.
  const std::multimap<std::int64_t, std::uint32_t>& ends() const { return ends_; }

 private:
  std::optional<std::int64_t> next_instant() const {
    std::optional<std::int64_t> next;
    const auto consider = [&](std::int64_t second) {
      next = std::min(next.value_or(second), second);
    };
    if (arrived_ < mix_.arrivals.size()) consider(mix_.arrivals[arrived_].second);
    if (!ends_.empty()) consider(ends_.begin()->first);
    const auto boundary = core_.next_boundary(at(static_cast<double>(now_)));
    if (boundary) consider(seconds(*boundary));
    return next;
  }

  void instant() {
    const TimePoint now = at(static_cast<double>(now_));
    for (; !ends_.empty() && ends_.begin()->first == now_; ends_.erase(ends_.begin())) {
      core_.finish(ends_.begin()->second, Outcome::ok, now);
    }
    for (; arrived_ < mix_.arrivals.size() && mix_.arrivals[arrived_].second == now_; ++arrived_) {
      const auto answer = core_.submit(mix_.arrivals[arrived_].request, now);
      jobs_[std::get<Queued>(answer).id] = arrived_;
      waited_.push_back({now_, std::nullopt});
    }
    before_pass(now);
    for (const Admitted& admitted : core_.pass(now)) {
      const std::size_t job = jobs_.at(admitted.id);
      waited_[job].admitted = now_;
      ends_.emplace(now_ + mix_.arrivals[job].runs, admitted.slot);
    }
  }

  Mix mix_;
  AnyCore core_;
  std::int64_t now_ = -1;
  std::size_t arrived_ = 0;
  std::multimap<std::int64_t, std::uint32_t> ends_;
  std::map<JobId, std::size_t> jobs_;
  std::vector<Waited> waited_;
};

/// Jobs that meet the theorem's conditions: nothing keeps them back except the window, the memory,
/// contention and managers that block.
class MixWriter {
 public:
  explicit MixWriter(std::uint64_t seed) : random_(seed) {}

  Mix write() {
    Mix mix;
    mix.options = options();
    const int every = 1 + pick(8);
    int now = 0;
    for (int i = 0; i < 80; ++i) {
      now += pick(2 * every);
      mix.arrivals.push_back({now, request(mix.options), 1 + pick(1 + pick(40))});
    }
    return mix;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }

  GovernorOptions options() {
    GovernorOptions options = fakes::window_of(8 + pick(8), 20);
    ContentionOptions& contention = options.queueing.contention;
    contention.mode = static_cast<ContentionMode>(pick(3));
    contention.levels = {"instance", "node"};
    contention.base_tenths = pick(2) * 10;
    contention.tick = std::chrono::seconds(5);
    contention.aging_ticks = pick(12);
    contention.boosts_priority = contention.mode != ContentionMode::off && pick(3) == 0;
    for (const char* manager : {"db", "ports"}) options.queueing.resources[manager].total = 4;
    options.queueing.declared_memory = Bytes{10};
    queues_ = {"default", "fast", "nightly"};
    queues_.resize(static_cast<std::size_t>(1 + pick(3)));
    for (const std::string& queue : queues_) {
      options.queueing.queues[queue].backfill = pick(2) * 16;
    }
    return options;
  }

  JobRequest request(const GovernorOptions& options) {
    JobRequest job = fakes::costing(1 + pick(pick(6) == 0 ? 20 : 4));
    job.queue = queues_[static_cast<std::size_t>(pick(static_cast<int>(queues_.size())))];
    job.priority = options.queueing.contention.boosts_priority ? pick(3) : 0;
    job.locks.emplace();
    const std::string name(1, static_cast<char>('a' + pick(4)));
    if (pick(3) == 0) job.locks->push_back(shared("instance", {name}));
    if (pick(3) == 0) job.locks->push_back(exclusive("node", {name}));
    job.global_lock = pick(40) == 0;
    for (int i = 0; i < 3; ++i) need(job, pick(6));
    return job;
  }

  void need(JobRequest& job, int what) {
    if (what == 0) job.memory = Bytes{static_cast<std::uint64_t>(1 + pick(10))};
    const std::string manager = what == 1 ? "db" : "ports";
    const bool has = std::ranges::count(job.resources, manager, &ResourceDemand::manager) > 0;
    if ((what == 1 || what == 2) && !has) job.resources.push_back({manager, 1 + pick(4)});
  }

  std::mt19937_64 random_;
  std::vector<std::string> queues_;
};

/// The part of its bound that a job has waited beyond its saturation; above 1 breaks the theorem,
/// and 0 means the job never got that old.
double part_of_bound(const Mix& mix, const std::vector<Waited>& all, std::size_t job) {
  const ContentionOptions& contention = mix.options.queueing.contention;
  const std::int64_t aging =
      std::chrono::duration_cast<std::chrono::seconds>(contention.tick).count() *
      contention.aging_ticks.value();
  const std::int64_t saturated = all[job].arrived + aging;
  if (all[job].admitted.value() <= saturated) return 0;
  std::int64_t longest = 0;
  for (const Arrival& arrival : mix.arrivals)
    longest = std::max<std::int64_t>(longest, arrival.runs);
  const auto ahead = std::ranges::count_if(all, [&](const Waited& other) {
    return other.arrived <= all[job].arrived && other.admitted.value() >= saturated;
  });
  const bool several = mix.options.queueing.queues.size() > 1;
  const int phases = 1 + (several ? 1 : 0) + (contention.mode == ContentionMode::hold ? 1 : 0);
  // The job itself counts among those that came no later.
  return static_cast<double>(*all[job].admitted - saturated) /
         static_cast<double>(ahead * phases * longest);
}

/// Adds the jobs that waited beyond their saturation to `saturated`.
void check_bound(const Mix& mix, const std::vector<Waited>& all, int& saturated) {
  ASSERT_EQ(all.size(), mix.arrivals.size());
  for (std::size_t job = 0; job < all.size(); ++job) {
    ASSERT_TRUE(all[job].admitted) << "job " << job + 1 << " starves";
    const double part = part_of_bound(mix, all, job);
    ASSERT_LE(part, 1) << "job " << job + 1;
    saturated += part > 0 ? 1 : 0;
  }
}

TYPED_TEST(Starvation, EveryJobIsAdmittedWithinItsBound) {
  int saturated = 0;
  for (std::uint64_t seed = 0; seed < repetitions(200); ++seed) {
    const Mix mix = MixWriter(seed).write();
    check_bound(mix, World<TypeParam>(mix).run(), saturated);
    ASSERT_FALSE(this->HasFatalFailure()) << "seed " << seed;
  }
  EXPECT_GT(saturated, repetitions(1000)) << "too few wait long enough to say anything";
}

/// Under `law: knee`, with jobs that do not declare what they cost: their key is what they are
/// expected to. Those of one point are known to sleep, and pass the window.
Mix measured_mix(std::uint64_t seed) {
  Mix mix = MixWriter(seed).write();
  mix.options.window.law = Law::knee;
  for (Arrival& arrival : mix.arrivals) {
    JobRequest& job = arrival.request;
    job.key = std::to_string(job.cost->value);
    job.cost.reset();
    job.memory.reset();
    job.measured = true;
  }
  return mix;
}

CostModel cost_by_key() {
  return [](const JobRequest& job) {
    Prediction prediction{Points{std::stoll(job.key)}};
    prediction.sleeps = prediction.cost == Points{1};
    return prediction;
  };
}

/// Two CPUs on which jobs need and wait for whatever random numbers say, and cost it.
class RepricedWorld : public World<Core> {
 public:
  RepricedWorld(const Mix& mix, std::uint64_t seed) : World(mix, cost_by_key()), random_(seed) {}

 private:
  static constexpr double kCpus = 2;

  double part() { return std::uniform_real_distribution<>(0, 1)(random_); }

  void before_pass(TimePoint now) override {
    const double passed = to_seconds(now - seen_);
    seen_ = now;
    for (const auto& running : ends()) {
      JobUsage& usage = usages_[running];
      usage.wall += from_seconds(passed);
      usage.cpu += from_seconds(kCpus * part() * passed);
      usage.cpu_delay += from_seconds(part() * passed);
      core().measured(running.second, usage, now);
    }
    used_ += kCpus * part() * passed;
    UseCounters counters;
    counters.at = now;
    counters.cpus = kCpus;
    counters.levels = {
        {"host", from_seconds(used_), from_seconds(kCpus * to_seconds(now.time_since_epoch()))}};
    core().observe_use(counters);
    core().adjust_window(now);
  }

  std::mt19937_64 random_;
  TimePoint seen_ = at(0);
  double used_ = 0;
  std::map<std::pair<std::int64_t, std::uint32_t>, JobUsage> usages_;  ///< By end time and slot.
};

TEST(StarvationUnderKnee, EveryJobIsAdmittedWithinItsBoundWhateverRunningOnesComeToCost) {
  int saturated = 0;
  for (std::uint64_t seed = 0; seed < repetitions(200); ++seed) {
    const Mix mix = measured_mix(seed);
    check_bound(mix, RepricedWorld(mix, seed).run(), saturated);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
  EXPECT_GT(saturated, repetitions(200)) << "too few wait long enough to say anything";
}

GovernorOptions two_queues_in(ContentionMode mode) {
  GovernorOptions options = fakes::window_of(10, 10);
  options.queueing.contention.mode = mode;
  options.queueing.contention.tick = std::chrono::seconds(10);
  options.queueing.contention.aging_ticks = 1;
  options.queueing.queues = {{"a", {}}, {"b", {}}};
  for (const char* manager : {"m", "n"}) options.queueing.resources[manager].total = 1;
  return options;
}

// Jobs run for at most 100 s. The aged one waits for a conflict that began just before it was aged,
// then for a manager taken just before that conflict ended, then for the window, part of which was
// taken just before the manager was released.
TYPED_TEST(Starvation, BoundIsMetButForTheInstantsBetween) {
  Mix mix;
  mix.options = two_queues_in(ContentionMode::hold);
  JobRequest aged = in_queue("aged", "a", "m");
  aged.cost = Points{9};
  aged.locks = {exclusive("node", {"x"})};
  JobRequest reader = in_queue("reader", "b");
  reader.locks = {shared("node", {"x"})};
  JobRequest room = in_queue("takes room", "b");
  room.cost = Points{2};
  mix.arrivals = {{0, reader, 20},
                  {1, aged, 1},
                  {10, reader, 100},
                  {109, in_queue("takes m", "b", "m"), 100},
                  {208, room, 100}};
  const std::vector<Waited> all = World<TypeParam>(mix).run();
  EXPECT_EQ(all[1].admitted, 308);
  EXPECT_NEAR(part_of_bound(mix, all, 1), 297.0 / 300, 1e-9);
}

/// Whether the first job of a mix, followed by an endless `stream`, is still pending after an hour.
template <typename AnyCore>
bool starves(Mix mix, const std::vector<Arrival>& stream, int period) {
  for (int start = 0; start < 3600; start += period) {
    for (Arrival arrival : stream) {
      arrival.second += start;
      mix.arrivals.push_back(arrival);
    }
  }
  std::ranges::stable_sort(mix.arrivals, {}, &Arrival::second);
  const auto aged = std::ranges::find_if(
      mix.arrivals, [](const Arrival& arrival) { return arrival.request.id == "aged"; });
  const std::vector<Waited> all = World<AnyCore>(mix).run(3600);
  return !all[static_cast<std::size_t>(aged - mix.arrivals.begin())].admitted;
}

/// Two managers that jobs of the other queue take alternately, each while the other is held.
std::vector<Arrival> in_turn() {
  return {{0, in_queue("m", "b", "m"), 15}, {10, in_queue("n", "b", "n"), 15}};
}

TYPED_TEST(Starvation, TwoManagersThatOthersTakeInTurnAreKeptForAnAgedJob) {
  for (const char* queue : {"a", "b"}) {
    Mix mix;
    mix.options = two_queues_in(ContentionMode::order);
    JobRequest aged = in_queue("aged", queue, "m");
    aged.resources.push_back({"n", 1});
    mix.arrivals = {{5, aged, 1}};
    EXPECT_FALSE(starves<TypeParam>(mix, in_turn(), 20));
  }
}

TYPED_TEST(Starvation, QueueWhoseFirstJobIsPassedOverGoesBeforeALargeJobOfAnother) {
  for (const char* queue : {"a", "b"}) {
    Mix mix;
    mix.options = two_queues_in(ContentionMode::order);
    RuleOptions pause;
    pause.id = "kept";
    pause.action = RuleOptions::Action::pause;
    mix.options.queueing.rules = {pause};
    JobRequest aged = in_queue("aged", "a");
    aged.cost = Points{10};
    mix.arrivals = {{0, in_queue("kept", queue), 1}, {5, aged, 1}};
    EXPECT_EQ(starves<TypeParam>(mix, {{0, in_queue("small", "b"), 15}}, 10), *queue == 'b');
  }
}

TYPED_TEST(Starvation, JobOfMoreMemoryThanThereIsWaitsForAnIdleMachine) {
  for (const char* queue : {"a", "b"}) {
    Mix mix;
    mix.options = two_queues_in(ContentionMode::order);
    mix.options.queueing.declared_memory = Bytes{10};
    JobRequest aged = in_queue("aged", queue);
    aged.memory = Bytes{11};
    mix.arrivals = {{5, aged, 1}};
    EXPECT_EQ(starves<TypeParam>(mix, {{0, in_queue("small", "b"), 15}}, 10), *queue == 'a');
  }
}

}  // namespace
}  // namespace sluice
