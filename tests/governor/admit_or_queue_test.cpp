// `admit_or_queue` against its equivalent: `try_admit`, then `submit` if that did not admit.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "fakes.h"
#include "reference/history.h"
#include "repetitions.h"

namespace sluice {
namespace {

using reference::Event;
using What = Event::What;
using Answer = std::variant<Admitted, Queued, Refusal>;

std::string text_of(const Answer& answer) {
  std::ostringstream text;
  if (const auto* admitted = std::get_if<Admitted>(&answer)) {
    text << "admitted " << admitted->id.value << " cost " << admitted->cost.value;
    for (const HeldItems& held : admitted->items) text << " " << held.manager << held.items.size();
  } else if (const auto* queued = std::get_if<Queued>(&answer)) {
    text << "queued " << queued->id.value << " " << queued->deduplicated << " " << queued->arrival
         << " cost " << queued->cost.value;
  } else {
    const Refusal& refusal = std::get<Refusal>(answer);
    text << to_string(refusal.code) << " " << refusal.binding << " ahead " << refusal.ahead.value
         << " cost " << refusal.cost.value;
  }
  return text.str();
}

/// Two cores with the same history that differ in how they take a job.
class InOneStepAndInTwo {
 public:
  explicit InOneStepAndInTwo(GovernorOptions options)
      : one_(fakes::core_of(options, {fakes::known("load")})),
        two_(fakes::core_of(options, {fakes::known("load")})) {}

  void step(const Event& event) {
    now_ = fakes::at(event.second);
    switch (event.what) {
      case What::submit:
        return submit(event);
      case What::finish:
        return finish(event);
      case What::cancel:
        if (ids_.contains(event.job)) {
          EXPECT_EQ(one_.cancel(ids_[event.job]).has_value(),
                    two_.cancel(ids_[event.job]).has_value());
        }
        return;
      case What::pause_queue:
      case What::resume_queue:
        return both([&](Core& core) {
          core.operate_queue(event.queue,
                             event.what == What::pause_queue ? Switch::paused : Switch::running);
        });
      case What::pause:
      case What::resume:
        return both([&](Core& core) {
          core.operate(event.what == What::pause ? Switch::paused : Switch::running);
        });
      case What::red:
      case What::green:
        return both(
            [&](Core& core) { fakes::show(core, {event.what == What::red ? 1.5 : 0.3}, now_); });
      case What::look:
        return both([&](Core& core) { core.adjust_window(now_); });
      case What::pass:
        return pass();
      default:
        return;
    }
  }

  void drain() {
    both([](Core& core) { core.operate(Switch::draining); });
  }

  void compare() {
    EXPECT_EQ(one_.usage(), two_.usage());
    EXPECT_EQ(one_.size(), two_.size());
    EXPECT_EQ(one_.running(), two_.running());
    EXPECT_EQ(one_.pending(), two_.pending());
    const Counters one = one_.status(now_).counters, two = two_.status(now_).counters;
    EXPECT_EQ(one.submitted, two.submitted);
    for (std::size_t code = 0; code < kRefusalCodes; ++code) {
      EXPECT_EQ(one.rejected[code], two.rejected[code] - repaired_[code]);
    }
  }

  std::size_t admitted = 0, queued = 0, refused = 0;

 private:
  template <typename Act>
  void both(Act&& act) {
    act(one_);
    act(two_);
  }

  void submit(const Event& event) {
    if (ids_.contains(event.job)) return;
    JobRequest request = event.request;
    for (const int before : event.after) {
      if (ids_.contains(before)) request.after.push_back(ids_[before]);
    }
    // Some are children of another job.
    if (!slots_.empty() && event.job % 4 == 0) request.parent = slots_.begin()->first;
    const Answer one = one_.admit_or_queue(request, now_);
    const Answer two = in_two_steps(request);
    ASSERT_EQ(text_of(one), text_of(two));
    if (const auto* job = std::get_if<Admitted>(&one)) {
      ids_[event.job] = job->id;
      slots_[job->id] = {job->slot, std::get<Admitted>(two).slot};
      ++admitted;
    } else if (const auto* waiting = std::get_if<Queued>(&one)) {
      if (!waiting->deduplicated) ids_[event.job] = waiting->id;
      ++queued;
    } else {
      ++refused;
    }
  }

  Answer in_two_steps(const JobRequest& request) {
    auto first = two_.try_admit(request, now_);
    if (auto* job = std::get_if<Admitted>(&first)) return std::move(*job);
    // Counted as rejected, although it is not final.
    ++repaired_[static_cast<std::size_t>(std::get<Refusal>(first).code)];
    const auto second = two_.submit(request, now_);
    if (const auto* waiting = std::get_if<Queued>(&second)) return *waiting;
    return std::get<Refusal>(second);
  }

  void finish(const Event& event) {
    const auto id = ids_.find(event.job);
    const auto slots = id == ids_.end() ? slots_.end() : slots_.find(id->second);
    if (slots == slots_.end()) return;
    one_.finish(slots->second.first, event.outcome, now_);
    two_.finish(slots->second.second, event.outcome, now_);
    slots_.erase(slots);
  }

  void pass() {
    const auto one = one_.pass(now_);
    const auto two = two_.pass(now_);
    ASSERT_EQ(one.size(), two.size());
    for (std::size_t at = 0; at < one.size(); ++at) {
      EXPECT_EQ(text_of(one[at]), text_of(two[at]));
      slots_[one[at].id] = {one[at].slot, two[at].slot};
    }
  }

  Core one_, two_;
  TimePoint now_;
  std::map<int, JobId> ids_;
  std::map<JobId, std::pair<std::uint32_t, std::uint32_t>> slots_;
  std::array<std::uint64_t, kRefusalCodes> repaired_{};
};

TEST(AdmitOrQueue, IsTryAdmitAndThenSubmitInAnyHistory) {
  std::size_t admitted = 0, queued = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < repetitions(1'000); ++seed) {
    reference::History history = reference::random_history(seed);
    history.options.max_pending = 3 + seed % 5;
    InOneStepAndInTwo cores(history.options);
    for (std::size_t at = 0; at < history.events.size(); ++at) {
      if (seed % 7 == 0 && at == 20) cores.drain();
      cores.step(history.events[at]);
      cores.compare();
      if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << ", event " << at;
    }
    admitted += cores.admitted;
    queued += cores.queued;
    refused += cores.refused;
  }
  EXPECT_GT(admitted, repetitions(1'000u));
  EXPECT_GT(queued, repetitions(1'000u));
  EXPECT_GT(refused, repetitions(1'000u));
}

TEST(AdmitOrQueue, AJobThatIsQueuedIsNotRejected) {
  Core core = fakes::core_of(fakes::fixed_window(10));
  EXPECT_TRUE(
      std::holds_alternative<Admitted>(core.admit_or_queue(fakes::costing(10), fakes::at(0))));
  const auto second = core.admit_or_queue(fakes::costing(4), fakes::at(0));
  ASSERT_TRUE(std::holds_alternative<Queued>(second));
  EXPECT_EQ(std::get<Queued>(second).cost, Points{4});
  const Counters counters = core.status(fakes::at(0)).counters;
  EXPECT_EQ(counters.submitted, 2u);
  for (const std::uint64_t count : counters.rejected) EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace sluice
