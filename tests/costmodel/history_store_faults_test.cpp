// A history that is killed, torn, in the way, or has no room.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>

#include "costmodel/history.h"
#include "costmodel/store/history_table.h"
#include "history_store_fixture.h"

namespace sluice::history_store_test {
namespace {

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
  EXPECT_EQ(history->place().path, (folder_ / "file/state/history.db").string());
  ASSERT_TRUE(history->place().failing) << "as long as it cannot be used";
  EXPECT_NE(said_[0].find(*history->place().failing), std::string::npos);
  fs::remove(folder_ / "file");
  EXPECT_TRUE(eventually([&] {
    history->refresh();
    return !history->place().failing;
  }));
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

TEST_F(HistoryStoreTest, PassesOverRowsThatMakeNoSense) {
  HistoryTable table(database());
  table.exchange({sample("good", 1), sample("bad", 2), sample("worse", 3)});
  SqliteDatabase raw(database(), 1000);
  raw.run("UPDATE run SET outcome = 'eaten' WHERE peak_memory = 2");
  raw.run("UPDATE run SET wall = 'x', busy_cores = -4 WHERE peak_memory = 3");
  ASSERT_EQ(table.load().size(), 1U);
  EXPECT_EQ(table.load()[0].key, "good");
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
}  // namespace sluice::history_store_test
