#include "costmodel/store/history_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>

#include "costmodel/cpu_profile.h"
#include "costmodel/store/history_table.h"
#include "history_store_fixture.h"

namespace sluice::history_store_test {
namespace {

TEST_F(HistoryStoreTest, KeepsSamplesForTheNextProcess) {
  open_store()->add(sample("k", 123));
  const std::vector<Sample> loaded = load();
  ASSERT_EQ(loaded.size(), 1U);
  EXPECT_EQ(loaded[0].key, "k");
  EXPECT_EQ(loaded[0].program, "g++");
  EXPECT_EQ(loaded[0].ended, 1'700'000'000);
  EXPECT_EQ(loaded[0].outcome, Outcome::failed);
  EXPECT_DOUBLE_EQ(loaded[0].busy_cores, 1.25);
  EXPECT_EQ(loaded[0].peak_memory, Bytes{123});
  EXPECT_EQ(loaded[0].wall, std::chrono::milliseconds(1500));
  EXPECT_TRUE(said_.empty()) << said_[0];
}

TEST_F(HistoryStoreTest, KeepsVariantsAndMakesRoomForThemInOlderFiles) {
  Sample one = sample("k", 123);
  one.variant = "400";
  open_store()->add(one);
  ASSERT_EQ(load().size(), 1U);
  EXPECT_EQ(load()[0].variant, "400");

  SqliteDatabase(database(), 100).run("ALTER TABLE run DROP COLUMN variant");
  ASSERT_EQ(load().size(), 1U);
  EXPECT_EQ(load()[0].variant, "") << "not known any more";
  open_store()->add(one);
  ASSERT_EQ(load().size(), 2U);
  EXPECT_EQ(load()[1].variant, "400");
  EXPECT_TRUE(said_.empty()) << said_[0];
}

TEST_F(HistoryStoreTest, MakesItsFolder) {
  folder_ /= "a/b";
  open_store()->add(sample("k", 1));
  EXPECT_EQ(load().size(), 1U);
  folder_ = folder_.parent_path().parent_path();
}

TEST_F(HistoryStoreTest, KeepsTheLastFiftyOfAKey) {
  {
    const auto store = open_store();
    for (std::uint64_t i = 1; i <= 60; ++i) store->add(sample("k", i));
    store->add(sample("other", 99));
  }
  const std::vector<Sample> loaded = load();
  ASSERT_EQ(loaded.size(), 51U);
  EXPECT_EQ(loaded.front().peak_memory, Bytes{11});
  EXPECT_EQ(loaded[49].peak_memory, Bytes{60});
}

TEST_F(HistoryStoreTest, KeepsTenThousandKeysAndDropsTheOldest) {
  HistoryTable table(database());
  std::vector<Sample> many;
  for (std::size_t i = 0; i < kMostKeys; ++i) many.push_back(sample("k" + std::to_string(i), 1));
  table.exchange(many);
  table.exchange({sample("k0", 2)});  // Ran again: the oldest is k1 now.
  table.exchange({sample("new", 3), sample("newer", 3)});
  std::set<std::string> keys;
  for (const Sample& each : table.load()) keys.insert(each.key);
  EXPECT_EQ(keys.size(), kMostKeys);
  EXPECT_TRUE(keys.contains("k0") && keys.contains("new") && keys.contains("newer"));
  EXPECT_FALSE(keys.contains("k1") || keys.contains("k2"));
}

TEST_F(HistoryStoreTest, ForgetsAKey) {
  {
    const auto store = open_store();
    store->add(sample("a", 1));
    store->add(sample("b", 2));
    store->add(sample("a", 3));
  }
  const auto store = open_store();
  const auto forgotten = store->forget({.key = "a"});
  ASSERT_EQ(forgotten.size(), 1U);
  EXPECT_EQ(forgotten[0].key, "a");
  EXPECT_EQ(forgotten[0].runs, 2U);
  ASSERT_EQ(store->load().size(), 1U);
  EXPECT_EQ(store->load()[0].key, "b");
}

TEST_F(HistoryStoreTest, KeepsWhoseRunItWasAndWhoSawIt) {
  {
    const auto store = open_store();
    Sample measured = of_user("1000", sample("k", 1));
    measured.seen_by = SeenBy::governor;
    store->add(measured);
    store->add(of_user("gearman:host:4730", sample("k", 2)));
    store->add(sample("k", 3));
  }
  const std::vector<Sample> loaded = load();
  ASSERT_EQ(loaded.size(), 3U);
  EXPECT_EQ(loaded[0].user, "1000");
  EXPECT_EQ(loaded[0].seen_by, SeenBy::governor);
  EXPECT_EQ(loaded[1].user, "gearman:host:4730");
  EXPECT_EQ(loaded[1].seen_by, SeenBy::client);
  EXPECT_EQ(loaded[2].user, "");
}

TEST_F(HistoryStoreTest, KeepsRootsKeysAndThoseOfWhoHasFewWhateverOneUserWrites) {
  HistoryTable table(database());
  table.exchange({sample("roots", 1), of_user("1000", sample("modest", 1))});
  std::vector<Sample> many;
  for (std::size_t i = 0; i < kMostKeys + 5; ++i) {
    many.push_back(of_user("4001", sample("k" + std::to_string(i), 1)));
  }
  table.exchange(many);
  std::set<std::string> keys;
  for (const Sample& each : table.load()) keys.insert(each.key);
  EXPECT_EQ(keys.size(), kMostKeys + 1);
  EXPECT_TRUE(keys.contains("roots") && keys.contains("modest"));
  EXPECT_FALSE(keys.contains("k0") || keys.contains("k5"));
}

TEST_F(HistoryStoreTest, ForgetsByUserAndByTime) {
  const auto store = open_store();
  HistoryTable table(database());
  Sample late = of_user("1000", sample("b", 2));
  late.ended += 60;
  table.exchange({sample("a", 1), of_user("1000", sample("a", 1)), late});
  const auto by_time = table.forget({.since = late.ended});
  ASSERT_EQ(by_time.size(), 1U);
  EXPECT_EQ(by_time[0].user, "1000");
  EXPECT_EQ(by_time[0].key, "b");
  EXPECT_EQ(table.forget({.user = "1000", .key = "a"}).size(), 1U);
  EXPECT_TRUE(table.forget({.user = "1000"}).empty());
  ASSERT_EQ(table.load().size(), 1U);
  EXPECT_EQ(table.load()[0].user, "");
}

TEST_F(HistoryStoreTest, KeepsWhatARunNeededOverTime) {
  Sample late = sample("late", 1);
  late.profile = parse_profile("4:0.01 5:1").value();
  open_store()->add(late);
  const std::vector<Sample> loaded = load();
  ASSERT_EQ(loaded.size(), 1U);
  EXPECT_EQ(loaded[0].profile, late.profile);
  SqliteDatabase(database(), 100).run("UPDATE run SET profile = 'nonsense'");
  ASSERT_EQ(load().size(), 1U) << "the rest of it is as good as it was";
  EXPECT_EQ(load()[0].profile.count, 0U);
}

TEST_F(HistoryStoreTest, KeepsWhatARunHeldOverTime) {
  Sample late = sample("late", 1);
  late.memory = parse_course("60:100 80:900").value();
  open_store()->add(late);
  ASSERT_EQ(load().size(), 1U);
  EXPECT_EQ(load()[0].memory, late.memory);
  SqliteDatabase(database(), 100).run("UPDATE run SET memory = 'nonsense'");
  ASSERT_EQ(load().size(), 1U) << "the rest of it is as good as it was";
  EXPECT_EQ(load()[0].memory.count, 0U);
}

TEST_F(HistoryStoreTest, IsForItsUserAlone) {
  umask(022);
  fs::permissions(folder_, fs::perms::all);
  std::ofstream(database()) << "";
  fs::permissions(database(), fs::perms::owner_read | fs::perms::owner_write |
                                  fs::perms::group_read | fs::perms::others_read);
  const auto store = open_store();
  store->add(sample("k", 1));
  ASSERT_TRUE(eventually(
      [&] { return fs::exists(database() + "-wal") && fs::exists(database() + "-shm"); }));
  for (const char* part : {"", "-wal", "-shm"}) {
    EXPECT_EQ(fs::status(database() + part).permissions(),
              fs::perms::owner_read | fs::perms::owner_write)
        << part;
  }
}

}  // namespace
}  // namespace sluice::history_store_test
