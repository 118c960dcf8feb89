#include "governor/books/permit_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

namespace sluice {
namespace {

using Place = PermitTree::Place;

TEST(PermitTree, AChildUsesWhatItsParentHoldsBeforeItUsesMore) {
  PermitTree tree;
  tree.add(0, std::nullopt, Points{5});
  EXPECT_EQ(tree.room(0), Points{5});
  EXPECT_EQ(tree.growth(0, Points{3}), Points{0});
  tree.add(1, 0, Points{3});
  EXPECT_EQ(tree.usage(), Points{5});
  EXPECT_EQ(tree.room(0), Points{2});
  EXPECT_EQ(tree.growth(0, Points{4}), Points{2});
  tree.add(2, 0, Points{4});
  EXPECT_EQ(tree.usage(), Points{7});
  tree.remove(1);
  EXPECT_EQ(tree.usage(), Points{5});
  tree.remove(2);
  tree.remove(0);
  EXPECT_EQ(tree.usage(), Points{0});
}

TEST(PermitTree, AGrandchildUsesWhatIsLeftOfTheWholeLine) {
  PermitTree tree;
  tree.add(0, std::nullopt, Points{10});
  tree.add(1, 0, Points{4});
  EXPECT_EQ(tree.room(1), Points{10});
  tree.add(2, 1, Points{7});
  EXPECT_EQ(tree.usage(), Points{10});
  EXPECT_EQ(tree.growth(0, Points{4}), Points{1});
}

TEST(PermitTree, ChildrenOfAnEndedParentWorkOnThatOfItsParent) {
  PermitTree tree;
  tree.add(0, std::nullopt, Points{10});
  tree.add(1, 0, Points{6});
  tree.add(2, 1, Points{2});
  tree.remove(1);
  EXPECT_EQ(tree.parent(2), Place{0});
  EXPECT_EQ(tree.room(0), Points{8});
  tree.remove(0);
  EXPECT_EQ(tree.parent(2), std::nullopt);
  EXPECT_EQ(tree.nested(), 0U);
  EXPECT_EQ(tree.usage(), Points{2});
}

/// A job according to the definition in the header.
struct Job {
  std::optional<Place> parent;
  std::int64_t own = 0;
};

std::int64_t used(const std::map<Place, Job>& jobs, std::optional<Place> of) {
  std::int64_t inner = 0;
  for (const auto& [place, job] : jobs) {
    if (job.parent == of) inner += used(jobs, place);
  }
  return of ? std::max(jobs.at(*of).own, inner) : inner;
}

TEST(PermitTree, AgreesWithItsDefinitionOverRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](std::size_t below) { return random() % below; };
    PermitTree tree;
    std::map<Place, Job> jobs;
    const auto any = [&] { return std::next(jobs.begin(), static_cast<long>(pick(jobs.size()))); };
    for (int step = 0; step < 100; ++step) {
      const Place place = static_cast<Place>(pick(12));
      if (const auto there = jobs.find(place); there != jobs.end()) {
        const auto parent = there->second.parent;
        const Points before = tree.usage();
        tree.remove(place);
        jobs.erase(there);
        for (auto& [each, job] : jobs) {
          if (job.parent == place) job.parent = parent;
        }
        ASSERT_LE(tree.usage(), before) << "seed " << seed;
      } else {
        const bool nests = !jobs.empty() && pick(3) > 0;
        const auto parent = nests ? std::optional(any()->first) : std::nullopt;
        const Points points{1 + static_cast<std::int64_t>(pick(9))};
        const Points grown = tree.usage() + tree.growth(parent, points);
        if (parent) {
          ASSERT_EQ(tree.growth(parent, tree.room(*parent)), Points{0}) << "seed " << seed;
          ASSERT_EQ(tree.growth(parent, tree.room(*parent) + Points{1}), Points{1});
        }
        tree.add(place, parent, points);
        jobs[place] = {parent, points.value};
        ASSERT_EQ(tree.usage(), grown) << "seed " << seed;
      }
      ASSERT_EQ(tree.usage().value, used(jobs, std::nullopt)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace sluice
