// Several processes with one history.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "costmodel/history.h"
#include "costmodel/store/history_table.h"
#include "history_store_fixture.h"

namespace sluice::history_store_test {
namespace {

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

TEST_F(HistoryStoreTest, RunsThatWereNotWrittenYetAreForgottenToo) {
  HistoryTable mine(database());
  SampleFilter which;
  which.key = "k";
  HistoryTable(database()).forget(which);
  mine.exchange({sample("k", 1), sample("other", 1)});
  mine.exchange({sample("k", 2)});
  const std::vector<Sample> kept = load();
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].key, "other");
  EXPECT_EQ(kept[1].peak_memory, sample("k", 2).peak_memory) << "it ran since";
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

}  // namespace
}  // namespace sluice::history_store_test
