#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fakes.h"
#include "repetitions.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::costing;

JobRequest child_of(JobId parent, std::int64_t points, int priority = 0) {
  JobRequest job = costing(points, priority);
  job.parent = parent;
  return job;
}

/// Submits as the daemon does: admitted at once or else queued; neither if refused for good.
struct Asked {
  std::optional<Admitted> admitted;
  std::optional<JobId> queued;
};

Asked ask(Core& core, const JobRequest& job, double when = 1) {
  auto tried = core.try_admit(job, at(when));
  if (auto* admitted = std::get_if<Admitted>(&tried)) return {std::move(*admitted), {}};
  const auto result = core.submit(job, at(when));
  const auto* queued = std::get_if<Queued>(&result);
  return {std::nullopt, queued ? std::optional(queued->id) : std::nullopt};
}

Admitted admit(Core& core, const JobRequest& job, double when = 1) {
  return std::get<Admitted>(core.try_admit(job, at(when)));
}

TEST(CoreNesting, AChildRunsOnTheFullPermitOfItsParent) {
  Core core = fakes::core_of(fakes::fixed_window(10));
  const Admitted parent = admit(core, costing(10));
  const Admitted child = admit(core, child_of(parent.id, 10));
  EXPECT_EQ(child.cost, Points{10});
  EXPECT_EQ(core.usage(), Points{10});
  core.finish(child.slot, Outcome::ok, at(2));
  EXPECT_EQ(core.usage(), Points{10});
  core.finish(parent.slot, Outcome::ok, at(3));
  EXPECT_EQ(core.usage(), Points{0});
}

TEST(CoreNesting, OneChildRunsHoweverMuchItNeedsAndTheNextWaitsForIt) {
  Core core = fakes::core_of(fakes::fixed_window(10));
  const Admitted parent = admit(core, costing(4));
  const Admitted other = admit(core, costing(6));
  const Admitted large = admit(core, child_of(parent.id, 9));
  EXPECT_EQ(large.cost, Points{4});
  EXPECT_EQ(core.usage(), Points{10});
  const Asked next = ask(core, child_of(parent.id, 1));
  ASSERT_TRUE(next.queued);
  EXPECT_TRUE(core.pass(at(2)).empty());
  core.finish(large.slot, Outcome::ok, at(3));
  const auto started = core.pass(at(4));
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started[0].id, *next.queued);
  core.finish(other.slot, Outcome::ok, at(5));
}

TEST(CoreNesting, SiblingsTakeOfTheWindowWhatThePermitLacks) {
  Core core = fakes::core_of(fakes::fixed_window(10));
  const Admitted parent = admit(core, costing(5));
  admit(core, child_of(parent.id, 3));
  admit(core, child_of(parent.id, 7));
  EXPECT_EQ(core.usage(), Points{10});
  EXPECT_TRUE(ask(core, child_of(parent.id, 1)).queued);
  EXPECT_TRUE(core.pass(at(2)).empty());
}

TEST(CoreNesting, AChildStartsWhileTheGovernorIsClosed) {
  for (const Switch position : {Switch::paused, Switch::draining}) {
    Core core = fakes::core_of(fakes::fixed_window(10));
    const Admitted parent = admit(core, costing(5));
    core.operate(position);
    EXPECT_TRUE(std::holds_alternative<Refusal>(core.try_admit(costing(1), at(1))));
    const Admitted child = admit(core, child_of(parent.id, 5));
    const Asked sibling = ask(core, child_of(parent.id, 5));
    ASSERT_TRUE(sibling.queued) << "it was refused for good";
    core.finish(child.slot, Outcome::ok, at(2));
    EXPECT_EQ(core.pass(at(3)).size(), 1U);
  }
  const auto options = fakes::fixed_window(10);
  Core red = fakes::core_of(options, {fakes::known("load")});
  fakes::show(red, {0.5}, at(0));
  const Admitted parent = admit(red, costing(5), 0);
  fakes::show(red, {2}, at(1));
  EXPECT_EQ(fakes::code_of(red.try_admit(costing(1), at(1))), RefusalCode::sensor);
  EXPECT_EQ(admit(red, child_of(parent.id, 5)).cost, Points{5});
}

TEST(CoreNesting, AChildStartsInAPausedQueueOnThePermitAlone) {
  Core core = fakes::core_of(fakes::fixed_window(10));
  const Admitted parent = admit(core, costing(5));
  core.operate_queue("default", Switch::paused);
  const Admitted child = admit(core, child_of(parent.id, 5));
  const Asked sibling = ask(core, child_of(parent.id, 1));
  ASSERT_TRUE(sibling.queued);
  EXPECT_TRUE(core.pass(at(2)).empty());
  core.finish(child.slot, Outcome::ok, at(3));
  EXPECT_EQ(core.pass(at(4)).size(), 1U);
}

TEST(CoreNesting, AChildNeverWaitsForWhatItsParentsHold) {
  GovernorOptions options = fakes::fixed_window(20);
  ResourceOptions ports;
  ports.kind = ResourceOptions::Kind::discrete;
  ports.items = {"p1", "p2"};
  options.queueing.resources["ports"] = ports;
  ResourceOptions once;
  once.kind = ResourceOptions::Kind::highlander;
  options.queueing.resources["once"] = once;
  options.queueing.contention.mode = ContentionMode::hold;
  options.queueing.contention.levels = {"instance"};
  Core core = fakes::core_of(options);
  JobRequest all = costing(5);
  all.key = "migrate";
  all.resources = {{"ports", 2}, {"once", 1}};
  all.reasons = {"rate-limit:1:db"};
  LevelLocks locks;
  locks.level = "instance";
  locks.exclusive = {"i1"};
  all.locks = std::vector{locks};
  const Admitted parent = admit(core, all);
  JobRequest same = all;
  same.parent = parent.id;
  const Admitted child = admit(core, same);
  EXPECT_EQ(child.items, (std::vector<HeldItems>{{"ports", {"p1", "p2"}}}));
  JobRequest inner = all;
  inner.parent = child.id;
  const Admitted grandchild = admit(core, inner);

  // A job that is no child waits, and so does a sibling.
  EXPECT_TRUE(std::holds_alternative<Refusal>(core.try_admit(all, at(1))));
  EXPECT_TRUE(std::holds_alternative<Refusal>(core.try_admit(same, at(1))));
  core.finish(grandchild.slot, Outcome::ok, at(2));
  core.finish(child.slot, Outcome::ok, at(2));
  const Admitted sibling = admit(core, same, 3);
  EXPECT_EQ(sibling.items, (std::vector<HeldItems>{{"ports", {"p1", "p2"}}}));
  core.finish(sibling.slot, Outcome::ok, at(4));
  core.finish(parent.slot, Outcome::ok, at(5));
  EXPECT_TRUE(std::holds_alternative<Admitted>(core.try_admit(all, at(6))));
}

TEST(CoreNesting, AChildCannotComeAfterItsParent) {
  Core core = fakes::core_of(fakes::fixed_window(10));
  const Admitted parent = admit(core, costing(5));
  JobRequest child = child_of(parent.id, 5);
  child.after = {parent.id};
  EXPECT_EQ(fakes::code_of(core.submit(child, at(1))), RefusalCode::dependency);
}

TEST(CoreNesting, AnEndedParentHandsItsChildrenToItsOwnParent) {
  Core core = fakes::core_of(fakes::fixed_window(10));
  const Admitted root = admit(core, costing(10));
  const Admitted middle = admit(core, child_of(root.id, 10));
  const Admitted leaf = admit(core, child_of(middle.id, 10));
  const Asked waiting = ask(core, child_of(middle.id, 10));
  ASSERT_TRUE(waiting.queued);
  core.finish(middle.slot, Outcome::ok, at(2));
  EXPECT_EQ(core.usage(), Points{10});
  EXPECT_TRUE(core.pass(at(3)).empty());
  core.finish(leaf.slot, Outcome::ok, at(4));
  EXPECT_EQ(core.pass(at(5)).size(), 1U);
  EXPECT_EQ(core.usage(), Points{10});
}

TEST(CoreNesting, AParentThatIsOverIsNone) {
  Core core = fakes::core_of(fakes::fixed_window(10));
  const Admitted parent = admit(core, costing(10));
  core.finish(parent.slot, Outcome::ok, at(1));
  admit(core, costing(10), 2);
  EXPECT_EQ(fakes::code_of(core.try_admit(child_of(parent.id, 10), at(3))), RefusalCode::window);
}

TEST(CoreNesting, OfAHundredChildrenSoManyRunAsFitInThePermitAndTheWindow) {
  Core core = fakes::core_of(fakes::fixed_window(20));
  const Admitted parent = admit(core, costing(8));
  std::vector<Admitted> running;
  for (int child = 0; child < 100; ++child) {
    Asked asked = ask(core, child_of(parent.id, 2));
    ASSERT_TRUE(asked.admitted || asked.queued);
    if (asked.admitted) running.push_back(*asked.admitted);
  }
  std::size_t most = running.size(), ended = 0;
  for (double now = 2; !running.empty(); ++now) {
    core.finish(running.back().slot, Outcome::ok, at(now));
    running.pop_back();
    ++ended;
    for (Admitted& admitted : core.pass(at(now))) running.push_back(admitted);
    most = std::max(most, running.size());
    ASSERT_LE(core.usage(), Points{20});
  }
  EXPECT_EQ(ended, 100U);
  EXPECT_EQ(most, 10U);
}

TEST(CoreNesting, MemoryOfChildrenIsTakenFromWhatIsKeptForTheirParent) {
  GovernorOptions options = fakes::fixed_window(100);
  options.queueing.declared_memory = Bytes{1000};
  Core core = fakes::core_of(options);
  const auto needing = [](JobRequest job, std::uint64_t memory) {
    job.memory = Bytes{memory};
    return job;
  };
  const Admitted parent = admit(core, needing(costing(50), 600));
  EXPECT_EQ(fakes::code_of(core.try_admit(needing(costing(1), 500), at(1))), RefusalCode::memory);
  const Admitted first = admit(core, needing(child_of(parent.id, 1), 500));
  const Admitted second = admit(core, needing(child_of(parent.id, 1), 500));
  EXPECT_EQ(fakes::code_of(core.try_admit(needing(child_of(parent.id, 1), 1), at(1))),
            RefusalCode::memory);
  core.finish(second.slot, Outcome::ok, at(2));
  core.finish(first.slot, Outcome::ok, at(2));
  EXPECT_EQ(core.status(at(2)).memory->kept, Bytes{600});
}

/// Random trees of commands that start commands and wait for them, several at once or one by one,
/// next to each other in one window.
class Trees {
 public:
  explicit Trees(std::uint64_t seed)
      : random_(seed), size_(1 + pick(12)), core_(fakes::core_of(fakes::fixed_window(size_))) {
    const std::size_t roots = 1 + static_cast<std::size_t>(pick(4));
    for (std::size_t root = 0; root < roots; ++root) grow(std::nullopt, 0);
  }

  /// Runs until every command of all trees has ended; the window holds throughout.
  void run() {
    for (std::size_t root : children_of(std::nullopt)) start(root);
    while (ended_ < commands_.size()) {
      now_ += 0.01;
      if (pick(8) == 0) core_.operate(pick(2) != 0 ? Switch::paused : Switch::running);
      const bool acted = act();
      const std::vector<Admitted> admitted = core_.pass(at(now_));
      for (const Admitted& each : admitted) began(each);
      if (!acted && admitted.empty()) {
        ASSERT_NE(core_.operated(), Switch::running)
            << "nothing can go on: " << ended_ << " of " << commands_.size();
        core_.operate(Switch::running);
        for (const Admitted& each : core_.pass(at(now_))) began(each);
      }
      ASSERT_TRUE(core_.pass(at(now_)).empty()) << "a second pass started something";
      ASSERT_LE(core_.usage(), Points{size_});
      ASSERT_TRUE(every_tree_has_a_leaf_that_runs());
    }
    EXPECT_EQ(core_.usage(), Points{0});
  }

  std::size_t commands() const { return commands_.size(); }

 private:
  struct Command {
    std::optional<std::size_t> parent;
    std::int64_t cost = 1;
    bool one_by_one = false, is_hasty = false;
    std::size_t started = 0, ended = 0;  ///< Of its children.
    std::optional<Admitted> admitted;
    bool over = false;
  };

  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }

  void grow(std::optional<std::size_t> parent, int depth) {
    const std::size_t own = commands_.size();
    commands_.push_back({parent, 1 + pick(size_), pick(2) == 0, pick(20) == 0, 0, 0, {}, false});
    if (depth == 4 || commands_.size() > 60) return;
    for (std::int64_t child = pick(depth == 0 ? 6 : 4); child > 0; --child) grow(own, depth + 1);
  }

  std::vector<std::size_t> children_of(std::optional<std::size_t> parent) const {
    std::vector<std::size_t> children;
    for (std::size_t each = 0; each < commands_.size(); ++each) {
      if (commands_[each].parent == parent) children.push_back(each);
    }
    return children;
  }

  void start(std::size_t number) {
    const Command& command = commands_[number];
    JobRequest job = costing(command.cost, static_cast<int>(pick(3)));
    if (command.parent) job.parent = commands_[*command.parent].admitted->id;
    Asked asked = ask(core_, job, now_);
    ASSERT_TRUE(asked.admitted || asked.queued) << "refused for good";
    numbers_[asked.admitted ? asked.admitted->id : *asked.queued] = number;
    if (asked.admitted) began(*asked.admitted);
  }

  void began(const Admitted& admitted) { commands_[numbers_.at(admitted.id)].admitted = admitted; }

  bool can_start_a_child(const Command& command, std::size_t children) const {
    return command.started < children && !(command.one_by_one && command.ended < command.started);
  }

  bool can_end(const Command& command, std::size_t children) const {
    const bool waits = command.ended < command.started && !command.is_hasty;
    return command.started == children && !waits;
  }

  /// One step of a command that runs and does not wait. Returns false if there is none.
  bool act() {
    std::vector<std::size_t> able;
    for (std::size_t each = 0; each < commands_.size(); ++each) {
      const Command& command = commands_[each];
      if (!command.admitted || command.over) continue;
      const std::size_t children = children_of(each).size();
      if (can_start_a_child(command, children) || can_end(command, children)) able.push_back(each);
    }
    if (able.empty()) return false;
    const std::size_t number = able[static_cast<std::size_t>(pick(std::ssize(able)))];
    const auto children = children_of(number);
    Command& command = commands_[number];
    if (can_start_a_child(command, children.size())) {
      start(children[command.started++]);
      return true;
    }
    command.over = true;
    ++ended_;
    if (command.parent) ++commands_[*command.parent].ended;
    core_.finish(command.admitted->slot, Outcome::ok, at(now_));
    return true;
  }

  bool runs(std::size_t number) const {
    return commands_[number].admitted && !commands_[number].over;
  }

  /// The children of an ended command count as its parent's.
  bool any_runs_below(std::size_t number) const {
    return std::ranges::any_of(children_of(number), [this](std::size_t child) {
      return runs(child) || any_runs_below(child);
    });
  }

  bool every_tree_has_a_leaf_that_runs() const {
    for (std::size_t each = 0; each < commands_.size(); ++each) {
      const bool waits = commands_[each].ended < commands_[each].started;
      if (runs(each) && waits && !any_runs_below(each)) return false;
    }
    return true;
  }

  std::mt19937_64 random_;
  std::int64_t size_;
  Core core_;
  std::vector<Command> commands_;
  std::map<JobId, std::size_t> numbers_;
  std::size_t ended_ = 0;
  double now_ = 1;
};

TEST(CoreNesting, AllOfRandomTreesEndsInsideSmallWindows) {
  std::size_t commands = 0;
  for (std::uint64_t seed = 1; seed <= repetitions(400) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Trees trees(seed);
    trees.run();
    commands += trees.commands();
  }
  EXPECT_GT(commands, repetitions(10'000U));
}

}  // namespace
}  // namespace sluice
