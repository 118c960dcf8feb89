#include "costmodel/history_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "costmodel/cpu_profile.h"
#include "costmodel/history_table.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

/// A temporary folder, and the store's messages.
class HistoryStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sluice-history-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::shared_ptr<SampleStore> open_store() {
    return open_history_store(folder_.string(), [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      said_.push_back(line);
    });
  }
  std::vector<Sample> load() { return open_store()->load(); }
  std::string database() const { return (folder_ / "history.db").string(); }
  std::vector<fs::path> broken() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.rfind("history.db.broken-", 0) == 0 && !name.ends_with("-wal") &&
          !name.ends_with("-shm")) {
        found.push_back(entry.path());
      }
    }
    return found;
  }

  fs::path folder_;
  std::mutex mutex_;
  std::vector<std::string> said_;
};

Sample sample(std::string key, std::uint64_t peak) {
  return {std::move(key),
          "g++",
          1'700'000'000,
          Outcome::failed,
          1.25,
          Bytes{peak},
          std::chrono::milliseconds(1500)};
}

/// Waits for a result of another thread or process.
template <typename Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

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

TEST_F(HistoryStoreTest, TellsWhatOthersLearned) {
  HistoryTable mine(database()), theirs(database());
  EXPECT_TRUE(mine.load().empty());
  theirs.exchange({sample("theirs", 1)});
  const StoreNews news = mine.exchange({sample("mine", 2)});
  ASSERT_EQ(news.added.size(), 1U);
  EXPECT_EQ(news.added[0].key, "theirs");
  EXPECT_TRUE(mine.exchange({sample("mine", 3)}).added.empty()) << "my own are no news";
}

TEST_F(HistoryStoreTest, HandsNewsToTheHistory) {
  const auto store = open_store();
  store->load();
  open_store()->add(sample("theirs", 1));
  store->add(sample("mine", 2));
  StoreNews news;
  EXPECT_TRUE(eventually([&] {
    news = store->news();
    return !news.added.empty();
  }));
  EXPECT_EQ(news.added[0].key, "theirs");
}

TEST_F(HistoryStoreTest, TellsWhatOthersForgotOnceAndNotWhatItForgotItself) {
  HistoryTable mine(database()), theirs(database());
  mine.exchange({sample("k", 1), sample("other", 2)});
  theirs.load();
  SampleFilter which;
  which.key = "k";
  which.since = 5;
  mine.forget(which);
  const StoreNews news = theirs.exchange({});
  ASSERT_EQ(news.forgotten.size(), 1U);
  EXPECT_EQ(news.forgotten[0].key, "k");
  EXPECT_EQ(news.forgotten[0].since, 5);
  EXPECT_FALSE(news.forgotten[0].user);
  EXPECT_TRUE(theirs.exchange({}).forgotten.empty()) << "once";
  EXPECT_TRUE(mine.exchange({}).forgotten.empty()) << "its own";
  HistoryTable later(database());
  later.load();
  EXPECT_TRUE(later.exchange({}).forgotten.empty()) << "it never knew them";
}

TEST_F(HistoryStoreTest, WhatAnotherProcessForgetsIsForgottenHereWithoutARunThatEnds) {
  open_store()->add(sample("k", 1));
  open_store()->add(sample("other", 1));
  History history({}, {}, open_store());
  ASSERT_EQ(history.summaries().size(), 2U);
  SampleFilter which;
  which.key = "k";
  open_store()->forget(which);
  const auto shows = [&](const std::vector<std::string>& keys) {
    history.refresh();
    std::vector<std::string> shown;
    for (const auto& each : history.summaries()) shown.push_back(each.key);
    return shown == keys;
  };
  EXPECT_TRUE(eventually([&] { return shows({"other"}); }));
  open_store()->add(sample("k", 2));
  EXPECT_TRUE(eventually([&] { return shows({"k", "other"}); })) << "what ran since is known";
}

TEST_F(HistoryStoreTest, ManyProcessesWriteAtOnce) {
  constexpr int kProcesses = 4, kEach = 40;
  for (int process = 0; process < kProcesses; ++process) {
    if (fork() != 0) continue;
    {
      const auto store = open_history_store(folder_.string(), {});
      for (int i = 0; i < kEach; ++i) store->add(sample("p" + std::to_string(process), 1));
    }
    _exit(0);
  }
  for (int process = 0; process < kProcesses; ++process) wait(nullptr);
  EXPECT_EQ(load().size(), std::size_t{kProcesses * kEach});
  EXPECT_TRUE(broken().empty());
}

TEST_F(HistoryStoreTest, SurvivesKillNineInTheMiddleOfWriting) {
  // Keys of its own for each round: what a key keeps is bounded, so the number of all samples
  // says nothing about a writer that is faster than this reader.
  const auto prefix = [](int round) { return std::to_string(round) + "/"; };
  const auto written = [&](const std::vector<Sample>& samples, int round) {
    return std::ranges::count_if(
        samples, [&](const Sample& each) { return each.key.starts_with(prefix(round)); });
  };
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      const auto store = open_history_store(folder_.string(), {});
      for (std::uint64_t i = 0;; ++i) {
        store->add(sample(prefix(round) + std::to_string(i % 500), i));
      }
    }
    EXPECT_TRUE(eventually([&] { return written(load(), round) > 100; }));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  const std::vector<Sample> kept = load();
  for (int round = 0; round < kRounds; ++round) EXPECT_GT(written(kept, round), 100) << round;
  EXPECT_TRUE(broken().empty());
  EXPECT_TRUE(said_.empty()) << said_[0];
}

TEST_F(HistoryStoreTest, MovesGarbageAsideAndSaysSo) {
  std::ofstream(database()) << std::string(5000, 'x');
  const auto store = open_store();
  EXPECT_TRUE(store->load().empty());
  ASSERT_EQ(broken().size(), 1U);
  EXPECT_EQ(fs::file_size(broken()[0]), 5000U);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find(broken()[0].string()), std::string::npos) << said_[0];
  store->add(sample("k", 1));
  EXPECT_TRUE(eventually([&] { return store->load().size() == 1; }));
}

TEST_F(HistoryStoreTest, MovesATornFileAsideAndSaysSo) {
  {
    HistoryTable table(database());
    std::vector<Sample> many;
    for (int i = 0; i < 3000; ++i) many.push_back(sample("key" + std::to_string(i), 1));
    table.exchange(many);
  }
  const auto whole = fs::file_size(database());
  {
    std::fstream file(database(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(whole / 4));
    file << std::string(whole / 2, '\xff');
  }
  const auto store = open_store();
  store->load();
  store->add(sample("k", 1));
  EXPECT_TRUE(eventually([&] { return store->load().size() == 1; }));
  EXPECT_EQ(broken().size(), 1U);
  EXPECT_EQ(said_.size(), 1U);
}

TEST_F(HistoryStoreTest, GoesOnInMemoryWhereItCannotWriteAndSaysSoOnce) {
  std::ofstream(folder_ / "file") << "no folder";
  const auto history = std::make_unique<History>(
      CostOptions{}, ReservationOptions{},
      open_history_store((folder_ / "file/state").string(), [&](const std::string& line) {
        const std::lock_guard lock(mutex_);
        said_.push_back(line);
      }));
  for (int i = 0; i < 5; ++i) history->learn(sample("k", 700));
  JobRequest job;
  job.key = "k";
  EXPECT_EQ(history->predict(job).rung, Rung::key);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("kept in memory"), std::string::npos) << said_[0];
}

TEST_F(HistoryStoreTest, SamplesThatCouldNotBeWrittenCountAmongThoseThatWait) {
  const fs::path obstacle = folder_ / "file";
  std::ofstream(obstacle) << "no folder";
  std::promise<void> failed, filled;
  std::vector<std::string> said;
  auto store = open_history_store((obstacle / "state").string(), [&](const std::string& line) {
    said.push_back(line);
    if (said.size() > 1) return;
    failed.set_value();
    filled.get_future().wait();
  });
  store->add(sample("first", 1));
  failed.get_future().wait();
  for (std::size_t i = 0; i < 10'000; ++i) store->add(sample("k" + std::to_string(i / 50), i));
  fs::remove(obstacle);
  filled.set_value();
  store.reset();
  const auto loaded = HistoryTable((obstacle / "state/history.db").string()).load();
  EXPECT_EQ(loaded.size(), 10'000U);
  EXPECT_FALSE(std::any_of(loaded.begin(), loaded.end(),
                           [](const Sample& each) { return each.key == "first"; }));
  ASSERT_EQ(said.size(), 2U);
  EXPECT_NE(said[1].find("lost the oldest runs in between"), std::string::npos) << said[1];
}

TEST_F(HistoryStoreTest, AFullDiskIsSaidAndNothingIsTorn) {
  open_store()->add(sample("before", 1));
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{40'000, 40'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    bool told = false;
    {
      const auto store =
          open_history_store(folder_.string(), [&](const std::string&) { told = true; });
      for (int i = 0; i < 2000; ++i) store->add(sample("key" + std::to_string(i), 1));
    }
    _exit(told ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "it said nothing";
  EXPECT_GE(load().size(), 1U);
  EXPECT_TRUE(broken().empty());
}

TEST_F(HistoryStoreTest, LeavesTheFileOfANewerVersionAlone) {
  { SqliteDatabase(database(), 100).run("PRAGMA user_version = 99; CREATE TABLE theirs (x)"); }
  const auto store = open_store();
  EXPECT_TRUE(store->load().empty());
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("newer version"), std::string::npos) << said_[0];
  EXPECT_TRUE(broken().empty());
}

TEST_F(HistoryStoreTest, PassesOverRowsThatMakeNoSense) {
  HistoryTable table(database());
  table.exchange({sample("good", 1), sample("bad", 2), sample("worse", 3)});
  SqliteDatabase raw(database(), 1000);
  raw.run("UPDATE run SET outcome = 'eaten' WHERE peak_memory = 2");
  raw.run("UPDATE run SET wall = 'x', busy_cores = -4 WHERE peak_memory = 3");
  ASSERT_EQ(table.load().size(), 1U);
  EXPECT_EQ(table.load()[0].key, "good");
}

Sample of_user(std::string user, Sample sample) {
  sample.user = std::move(user);
  return sample;
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

/// As written by version 0.1.0.
void write_schema_1(const std::string& path) {
  SqliteDatabase(path, 100).run(R"(
PRAGMA journal_mode = WAL;
CREATE TABLE job (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
                  last INTEGER NOT NULL DEFAULT 0);
CREATE INDEX job_by_last ON job (last);
CREATE TABLE sample (id INTEGER PRIMARY KEY AUTOINCREMENT,
  job INTEGER NOT NULL REFERENCES job (id), program TEXT NOT NULL, ended INTEGER NOT NULL,
  outcome TEXT NOT NULL, busy_cores REAL NOT NULL, peak_memory INTEGER NOT NULL,
  wall REAL NOT NULL);
CREATE INDEX sample_by_job ON sample (job, id);
PRAGMA user_version = 1;
INSERT INTO job VALUES (1, 'k', 2), (2, 'other', 3);
INSERT INTO sample VALUES (1, 1, 'g++', 1700000000, 'ok', 1.5, 1000, 2.5),
  (2, 1, 'g++', 1700000001, 'oom', 1.5, 2000, 2.5),
  (3, 2, 'ld', 1700000002, 'ok', 0.5, 3000, 2.5);
)");
}

TEST_F(HistoryStoreTest, TakesOverTheFirstSchemaAndKeepsTheFileAsItWas) {
  write_schema_1(database());
  const std::vector<Sample> loaded = load();
  ASSERT_EQ(loaded.size(), 3U);
  EXPECT_EQ(loaded[1].key, "k");
  EXPECT_EQ(loaded[1].program, "g++");
  EXPECT_EQ(loaded[1].outcome, Outcome::oom);
  EXPECT_EQ(loaded[1].peak_memory, Bytes{2000});
  EXPECT_EQ(loaded[1].user, "") << "root's, or that of whom the file belongs to";
  EXPECT_EQ(loaded[1].seen_by, SeenBy::client);
  open_store()->add(sample("k", 4));
  EXPECT_EQ(load().size(), 4U);
  EXPECT_TRUE(said_.empty()) << said_[0];

  SqliteDatabase backup(database() + ".schema-1", 100);
  EXPECT_EQ(backup.user_version(), 1);
  SqliteStatement rows = backup.prepare("SELECT count(*) FROM sample");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.whole(0), 3);
  EXPECT_EQ(fs::status(database() + ".schema-1").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(fs::exists(database() + ".schema-1.2"));
}

TEST_F(HistoryStoreTest, AProgramOfTheFirstSchemaFilesNothingUnderRootInTheNewOne) {
  write_schema_1(database());
  SqliteDatabase before(database(), 100);
  EXPECT_EQ(before.user_version(), 1);
  load();
  EXPECT_EQ(before.user_version(), 3) << "what it refuses, as a newer version's";
  EXPECT_THROW(before.run("INSERT INTO job (key) VALUES ('liars')"), SqliteError);
}

/// As written by the versions that knew no profiles; without variants, as the first of them.
void write_schema_2(const std::string& path) {
  SqliteDatabase(path, 100).run(R"(
PRAGMA journal_mode = WAL;
CREATE TABLE kind (id INTEGER PRIMARY KEY, user TEXT NOT NULL, key TEXT NOT NULL,
                   last INTEGER NOT NULL DEFAULT 0, UNIQUE (user, key));
CREATE INDEX kind_by_last ON kind (user, last);
CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind INTEGER NOT NULL REFERENCES kind (id), program TEXT NOT NULL, ended INTEGER NOT NULL,
  outcome TEXT NOT NULL, busy_cores REAL NOT NULL, peak_memory INTEGER NOT NULL,
  wall REAL NOT NULL, measured INTEGER NOT NULL);
CREATE INDEX run_by_kind ON run (kind, id);
PRAGMA user_version = 2;
INSERT INTO kind VALUES (1, '1000', 'k', 1), (2, '', 'other', 2);
INSERT INTO run VALUES (1, 1, 'g++', 1700000000, 'ok', 1.5, 1000, 2.5, 1),
  (2, 2, 'ld', 1700000002, 'oom', 0.5, 3000, 2.5, 0);
)");
}

TEST_F(HistoryStoreTest, TakesOverTheSecondSchemaAndKeepsTheFileAsItWas) {
  write_schema_2(database());
  const std::vector<Sample> loaded = load();
  ASSERT_EQ(loaded.size(), 2U);
  EXPECT_EQ(loaded[0].user, "1000");
  EXPECT_EQ(loaded[0].key, "k");
  EXPECT_EQ(loaded[0].seen_by, SeenBy::governor);
  EXPECT_EQ(loaded[0].peak_memory, Bytes{1000});
  EXPECT_EQ(loaded[0].profile.count, 0U) << "nobody saw it";
  EXPECT_EQ(loaded[1].outcome, Outcome::oom);
  open_store()->add(sample("k", 4));
  EXPECT_EQ(load().size(), 3U);
  EXPECT_TRUE(said_.empty()) << said_[0];

  SqliteDatabase backup(database() + ".schema-2", 100);
  EXPECT_EQ(backup.user_version(), 2);
  SqliteStatement rows = backup.prepare("SELECT count(*) FROM run");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.whole(0), 2);
  EXPECT_FALSE(fs::exists(database() + ".schema-2.2"));
}

TEST_F(HistoryStoreTest, AProgramOfTheSecondSchemaThatHasTheFileOpenGoesOnWriting) {
  write_schema_2(database());
  SqliteDatabase before(database(), 100);
  EXPECT_EQ(before.user_version(), 2);
  load();
  EXPECT_EQ(before.user_version(), 3) << "what it refuses when it opens the file";
  before.run(
      "INSERT INTO run (kind, program, ended, outcome, busy_cores, peak_memory, wall, "
      "measured) VALUES (2, 'ld', 1700000003, 'ok', 0.5, 3000, 2.5, 0)");
  ASSERT_EQ(load().size(), 3U);
  EXPECT_EQ(load()[2].profile.count, 0U);
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

/// As written by the first versions of the third schema, which knew no memory over time.
void write_schema_3(const std::string& path) {
  write_schema_2(path);
  SqliteDatabase(path, 100).run(R"(
ALTER TABLE run ADD COLUMN variant TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN profile TEXT NOT NULL DEFAULT '';
PRAGMA user_version = 3;
)");
}

TEST_F(HistoryStoreTest, AnOlderVersionOfTheThirdSchemaGoesOnToUseTheFile) {
  write_schema_3(database());
  ASSERT_EQ(load().size(), 2U);
  EXPECT_EQ(load()[0].memory.count, 0U);
  Sample late = sample("late", 1);
  late.memory = parse_course("60:100 80:900").value();
  open_store()->add(late);
  SqliteDatabase older(database(), 100);
  EXPECT_EQ(older.user_version(), 3) << "what it takes for its own";
  older.run(
      "INSERT INTO run (kind, program, ended, outcome, busy_cores, peak_memory, wall, measured, "
      "variant, profile) VALUES (2, 'ld', 1700000003, 'ok', 0.5, 3000, 2.5, 0, '', '')");
  const std::vector<Sample> loaded = load();
  ASSERT_EQ(loaded.size(), 4U);
  EXPECT_EQ(loaded[2].memory, late.memory);
  EXPECT_EQ(loaded[3].memory.count, 0U);
  EXPECT_TRUE(said_.empty()) << said_[0];
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

TEST_F(HistoryStoreTest, WhatIsNoFileIsRefusedAtOnceAndLeftAsItIs) {
  struct Obstacle {
    const char* what;
    std::function<void(const std::string& path)> make;
  };
  const std::string elsewhere = (folder_ / "elsewhere").string();
  const std::vector<Obstacle> obstacles{
      {"a symbolic link", [&](const std::string& path) { fs::create_symlink(elsewhere, path); }},
      {"a folder", [](const std::string& path) { fs::create_directory(path); }},
      {"a fifo", [](const std::string& path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); }}};
  for (const Obstacle& each : obstacles) {
    for (const char* part : {"", "-wal", "-shm", "-journal", ".lock"}) {
      const std::string path = database() + part;
      each.make(path);
      const fs::file_type before = fs::symlink_status(path).type();
      said_.clear();
      EXPECT_TRUE(load().empty());
      ASSERT_EQ(said_.size(), 1U) << each.what << part;
      EXPECT_NE(said_[0].find(path + " is " + each.what), std::string::npos) << said_[0];
      EXPECT_EQ(fs::symlink_status(path).type(), before);
      EXPECT_FALSE(fs::exists(elsewhere));
      for (const char* made : {"", "-wal", "-shm", "-journal", ".lock"}) {
        fs::remove(database() + made);
      }
    }
  }
}

}  // namespace
}  // namespace sluice
