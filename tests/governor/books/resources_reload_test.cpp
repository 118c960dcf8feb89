#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "governor/books/resources.h"

namespace sluice {
namespace {

using Kind = ResourceOptions::Kind;
using Managers = std::map<std::string, ResourceOptions>;
using Items = std::vector<std::string>;

Managers one(const std::string& key, Kind kind, std::int64_t total, Items items) {
  ResourceOptions options;
  options.kind = kind;
  options.total = total;
  options.items = std::move(items);
  return {{key, options}};
}

Managers ports(Items items) { return one("ports", Kind::discrete, 0, std::move(items)); }

std::vector<ResourceNeed> needs_of(const Resources& resources, const std::string& manager,
                                   std::int64_t amount) {
  JobRequest job;
  job.key = "k";
  job.resources = {{manager, amount}};
  return resources.needs_of(job, {});
}

Items book(Resources& resources, std::uint64_t id, std::int64_t amount) {
  const auto held = resources.book(needs_of(resources, "ports", amount), "k", JobId{id});
  return held.at(0).items;
}

void release(Resources& resources, std::uint64_t id, std::int64_t amount) {
  resources.release(needs_of(resources, "ports", amount), "k", JobId{id});
}

Resources::Standing standing(const Resources& resources, std::int64_t amount) {
  return resources.standing(needs_of(resources, "ports", amount).at(0), "k");
}

TEST(ResourcesReload, ARemovedItemDrainsAndIsNotHandedOut) {
  Resources resources(ports({"a", "b", "c"}));
  EXPECT_EQ(book(resources, 1, 2), (Items{"a", "b"}));
  resources.reconfigure(ports({"b", "c"}));
  EXPECT_EQ(standing(resources, 1).free, 1);
  EXPECT_EQ(standing(resources, 1).total, 2);
  EXPECT_EQ(resources.status().at(0).used, 2);
  release(resources, 1, 2);
  EXPECT_EQ(standing(resources, 1).free, 2);
  EXPECT_EQ(book(resources, 2, 2), (Items{"b", "c"}));
}

TEST(ResourcesReload, AnItemPutBackWhileHeldIsBusy) {
  Resources resources(ports({"a", "b"}));
  book(resources, 1, 1);
  resources.reconfigure(ports({"b"}));
  resources.reconfigure(ports({"a", "b"}));
  EXPECT_EQ(standing(resources, 1).free, 1);
  EXPECT_EQ(book(resources, 2, 1), Items{"b"});
  release(resources, 1, 1);
  EXPECT_EQ(book(resources, 3, 1), Items{"a"});
}

TEST(ResourcesReload, NewItemsAreHandedOutWhereTheyStand) {
  Resources resources(ports({"b"}));
  resources.reconfigure(ports({"a", "b"}));
  EXPECT_EQ(book(resources, 1, 1), Items{"a"});
}

TEST(ResourcesReload, NumbersAndNamesStayOverAReload) {
  Resources resources(ports({"a"}));
  const auto needs = needs_of(resources, "ports", 1);
  const std::string_view name = resources.standing(needs[0], "k").manager;
  Managers more = ports({"a"});
  for (int i = 0; i < 100; ++i) more["m" + std::to_string(i)] = {};
  resources.reconfigure(more);
  EXPECT_EQ(needs_of(resources, "ports", 1), needs);
  EXPECT_EQ(resources.standing(needs[0], "k").manager.data(), name.data());
}

TEST(ResourcesReload, AManagerThatWentIsHeldUntilItsJobsEnd) {
  Resources resources(ports({"a"}));
  const auto needs = needs_of(resources, "ports", 1);
  resources.book(needs, "k", JobId{1});
  resources.reconfigure({});
  EXPECT_TRUE(resources.in_use("ports"));
  EXPECT_TRUE(resources.status().empty());
  EXPECT_TRUE(resources.standing(needs[0], "k").is_impossible);
  resources.release(needs, "k", JobId{1});
  EXPECT_FALSE(resources.in_use("ports"));
  EXPECT_FALSE(resources.in_use("never heard of"));
}

TEST(ResourcesReload, NothingIsThereOfAManagerThatWentWhateverItsKind) {
  for (const Kind kind : {Kind::quantity, Kind::discrete, Kind::highlander}) {
    Resources resources(one("ports", kind, 3, {"a", "b"}));
    const auto needs = needs_of(resources, "ports", 1);
    resources.reconfigure({});
    const Resources::Standing gone = resources.standing(needs.at(0), "k");
    EXPECT_TRUE(gone.is_impossible && gone.is_short);
    EXPECT_EQ(gone.total, 0);
    EXPECT_EQ(gone.free, 0);
  }
}

TEST(ResourcesReload, AManagerOfAnotherKindLeavesWhatIsHeldAlone) {
  Resources resources(one("ports", Kind::quantity, 3, {}));
  const auto units = needs_of(resources, "ports", 2);
  resources.book(units, "k", JobId{1});
  resources.reconfigure(ports({"a"}));
  EXPECT_EQ(book(resources, 2, 1), Items{"a"});
  resources.release(units, "k", JobId{1});
  EXPECT_EQ(standing(resources, 1).free, 0);
  resources.reconfigure(one("ports", Kind::quantity, 3, {}));
  EXPECT_EQ(standing(resources, 1).free, 3);
}

/// Random steps on a few managers, with the simplest possible record of their holders.
class Steps {
 public:
  explicit Steps(unsigned seed) : random_(seed), resources_(managers_ = draw_managers()) {}

  void book() {
    JobRequest job;
    job.key = std::string(1, static_cast<char>('a' + draw(3)));
    for (const auto& [key, options] : managers_) {
      if (draw(2) == 0) job.resources.push_back({key, draw(4)});
    }
    Job entry{job.key, resources_.needs_of(job, {}), {}};
    for (const ResourceNeed& need : entry.needs) {
      if (resources_.standing(need, job.key).is_short) return;
    }
    entry.held = resources_.book(entry.needs, job.key, JobId{++last_id_});
    for (const HeldItems& held : entry.held) {
      for (const std::string& item : held.items) {
        EXPECT_TRUE(holders_.insert({held.manager, item}).second) << item << " has two holders";
        EXPECT_TRUE(lists(held.manager, item)) << item << " is not in the configuration";
      }
    }
    expect_items_as_asked(entry);
    jobs_.emplace(last_id_, std::move(entry));
    for (const ResourceStatus& manager : resources_.status()) {
      const bool grew = manager.used > used_[manager.key];
      EXPECT_TRUE(manager.kind != Kind::quantity || !grew || manager.used <= manager.total);
    }
  }

  void release() {
    if (jobs_.empty()) return;
    const auto job = std::next(jobs_.begin(), draw(static_cast<int>(jobs_.size())));
    for (const HeldItems& held : job->second.held) {
      for (const std::string& item : held.items) holders_.erase({held.manager, item});
    }
    resources_.release(job->second.needs, job->second.key, JobId{job->first});
    jobs_.erase(job);
  }

  void reconfigure() { resources_.reconfigure(managers_ = draw_managers()); }

  void expect_consistent() {
    std::map<std::uint32_t, std::int64_t> amounts;
    std::set<std::pair<std::uint32_t, std::string>> highlanders;
    for (const auto& [id, job] : jobs_) {
      for (const ResourceNeed& need : job.needs) {
        amounts[need.manager] += need.amount;
        if (!resources_.is_highlander(need.manager)) continue;
        EXPECT_TRUE(highlanders.emplace(need.manager, job.key).second) << "two run of " << job.key;
      }
    }
    for (const ResourceStatus& manager : resources_.status()) {
      used_[manager.key] = manager.used;
      JobRequest job;
      job.key = "a";
      job.resources = {{manager.key, 1}};
      const ResourceNeed need = resources_.needs_of(job, {}).at(0);
      const Resources::Standing standing = resources_.standing(need, "a");
      EXPECT_EQ(manager.used, amounts[need.manager]);
      EXPECT_EQ(standing.free, expected_free(manager, need.manager, highlanders));
    }
  }

  void release_all() {
    while (!jobs_.empty()) release();
    for (const ResourceStatus& manager : resources_.status()) EXPECT_EQ(manager.used, 0);
    EXPECT_TRUE(holders_.empty());
  }

 private:
  struct Job {
    std::string key;
    std::vector<ResourceNeed> needs;
    std::vector<HeldItems> held;
  };

  int draw(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  bool lists(const std::string& manager, const std::string& item) const {
    const Items& items = managers_.at(manager).items;
    return std::find(items.begin(), items.end(), item) != items.end();
  }

  void expect_items_as_asked(const Job& job) const {
    std::size_t asked = 0, got = 0;
    for (const ResourceNeed& need : job.needs) {
      const auto name = resources_.standing(need, job.key).manager;
      if (managers_.at(std::string(name)).kind != Kind::discrete) continue;
      asked += static_cast<std::size_t>(need.amount);
    }
    for (const HeldItems& held : job.held) got += held.items.size();
    EXPECT_EQ(got, asked);
  }

  std::int64_t expected_free(const ResourceStatus& manager, std::uint32_t number,
                             const std::set<std::pair<std::uint32_t, std::string>>& running) const {
    if (manager.kind == Kind::quantity) return manager.total - manager.used;
    if (manager.kind == Kind::highlander) return running.contains({number, "a"}) ? 0 : 1;
    const Items& items = managers_.at(manager.key).items;
    return std::count_if(items.begin(), items.end(), [&](const std::string& item) {
      return !holders_.contains({manager.key, item});
    });
  }

  /// Three managers that come, go, change their kind, shrink, and list items again.
  Managers draw_managers() {
    Managers managers;
    for (const char* key : {"m", "n", "o"}) {
      if (draw(5) == 0) continue;
      ResourceOptions& options = managers[key];
      options.kind = static_cast<Kind>(draw(3));
      options.total = draw(8);
      options.items = {"i1", "i2", "i3", "i4", "i5", "i6"};
      std::shuffle(options.items.begin(), options.items.end(), random_);
      options.items.resize(static_cast<std::size_t>(draw(7)));
    }
    return managers;
  }

  std::mt19937 random_;
  Managers managers_;
  Resources resources_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Job> jobs_;
  std::set<std::pair<std::string, std::string>> holders_;
  std::map<std::string, std::int64_t> used_;
};

TEST(ResourcesProperty, NothingIsOverbookedAndEveryItemHasOneHolder) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Steps steps(seed);
    std::mt19937 choice(seed + 100);
    for (int step = 0; step < 5000 && !::testing::Test::HasFailure(); ++step) {
      const unsigned which = static_cast<unsigned>(choice() % 20);
      if (which < 11) steps.book();
      if (which >= 11 && which < 19) steps.release();
      if (which == 19) steps.reconfigure();
      steps.expect_consistent();
    }
    steps.release_all();
  }
}

}  // namespace
}  // namespace sluice
