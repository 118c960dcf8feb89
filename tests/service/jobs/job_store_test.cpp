// The store of jobs keeps them over kill -9 and another boot.
#include "service/jobs/job_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "base/sqlite/sqlite.h"
#include "job_store_fixture.h"

namespace sluice::testing::job_store_test {
namespace {

TEST_F(JobStoreTest, IsForItsUserAloneWhateverItsFolderIs) {
  fs::create_directories(folder_);
  std::ofstream(database()).flush();
  fs::permissions(database(), fs::perms::owner_all | fs::perms::others_read);
  const auto store = open();
  store->load();
  store->put(pending(1));
  for (const auto& each : fs::directory_iterator(folder_)) {
    const auto mode = fs::status(each).permissions();
    EXPECT_EQ(mode, fs::perms::owner_read | fs::perms::owner_write) << each.path();
  }
}

TEST_F(JobStoreTest, KeepsTheSecretAlsoInAFileThatTakesTheOldOnesPlace) {
  EXPECT_EQ(load().permit_secret, "");
  {
    const auto store = open();
    store->load();
    store->store_secret("0123");
  }
  EXPECT_EQ(load().permit_secret, "0123");
  const auto store = open();
  store->load();
  std::ofstream(database(), std::ios::trunc) << std::string(8192, 'x');
  store->replace({});
  EXPECT_EQ(load().permit_secret, "0123");
}

TEST_F(JobStoreTest, KillsUnderLoadGiveNoFalseAlarm) {
  for (int round = 0; round < 200; ++round) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto store = open();
      store->load();
      for (std::uint64_t number = 1;; ++number) {
        store->put(pending(number % 50 + 1));
        store->remove(JobId{number % 30 + 1}, JobStore::End::well);
        const bool told = write(ready[1], "x", 1) == 1;
        if (!told) _exit(1);
      }
    }
    ::close(ready[1]);
    std::vector<char> some(static_cast<std::size_t>(1 + 37 * round % 101));
    std::size_t got = 0;
    while (got < some.size()) {
      const ssize_t more = read(ready[0], some.data() + got, some.size() - got);
      ASSERT_GT(more, 0);
      got += static_cast<std::size_t>(more);
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ::close(ready[0]);
    open()->load();
    ASSERT_EQ(said_, "") << round;
  }
}

TEST_F(JobStoreTest, WhatWasPutComesBackWholeAndWhatWasRemovedDoesNot) {
  StoredJob ran = running(3);
  ran.job.request.key = "jobserver:make";
  ran.job.request.takes_turns = true;
  StoredJob waits = pending(7);
  waits.job.request.key = "jobserver:mine";
  waits.job.frozen = true;
  waits.batch = {"b", 16, 8};
  waits.job.order = {7, -2, 0x8000000000000001};
  waits.lease.hold = StoredLease::Hold::connection;
  {
    const auto store = open();
    EXPECT_TRUE(store->load().jobs.empty());
    for (const StoredJob& job : {ran, waits, pending(8), pending(9)}) store->put(job);
    store->remove(JobId{8}, JobStore::End::badly);
    store->remove(JobId{9}, JobStore::End::well);
    EXPECT_FALSE(store->failing()) << *store->failing();
  }
  const StoredState state = load();
  EXPECT_EQ(state.boot, Boot::same);
  ASSERT_EQ(state.jobs.size(), 2u);
  EXPECT_EQ(state.failed, std::vector<JobId>{JobId{8}});
  EXPECT_GE(state.last, JobId{9});
  EXPECT_EQ(state.jobs[0].job.admitted, ran.job.admitted);
  EXPECT_EQ(state.jobs[0].job.items, ran.job.items);
  EXPECT_EQ(state.jobs[0].lease, ran.lease);
  EXPECT_TRUE(state.jobs[0].job.request.takes_turns);
  EXPECT_FALSE(state.jobs[1].job.request.takes_turns);
  EXPECT_EQ(state.jobs[1].job.request.id, "job-7");
  EXPECT_EQ(state.jobs[1].job.arrived, waits.job.arrived);
  EXPECT_EQ(state.jobs[1].job.order, waits.job.order);
  EXPECT_EQ(state.jobs[1].lease, waits.lease);
  EXPECT_TRUE(state.jobs[1].job.frozen);
  EXPECT_EQ(state.jobs[0].batch, ClientBatch{});
  EXPECT_EQ(state.jobs[1].batch, waits.batch);
  EXPECT_FALSE(state.jobs[1].job.admitted);
}

TEST_F(JobStoreTest, AJobThatComesBackDeclaresAsManyElementsAsBefore) {
  {
    const auto store = open();
    store->load();
    StoredJob job = pending(1);
    job.job.request.params = {{"a", "1"}, {"b", "2"}};
    job.job.request.after = {JobId{7}};
    job.job.request.reasons = {"r"};
    store->put(job);
  }
  const StoredState state = load();
  ASSERT_EQ(state.jobs.size(), 1u);
  EXPECT_EQ(state.jobs[0].declared.elements, 4u);
  EXPECT_GT(state.jobs[0].declared.bytes, 40u);
}

TEST_F(JobStoreTest, PutAgainReplacesAndSignsOfLifeAreKept) {
  {
    const auto store = open();
    store->load();
    store->put(pending(1));
    store->put(running(1));
    store->renew({{JobId{1}, TimePoint(77s)}});
  }
  const StoredState state = load();
  ASSERT_EQ(state.jobs.size(), 1u);
  EXPECT_TRUE(state.jobs[0].job.admitted);
  EXPECT_EQ(state.jobs[0].lease.renewed, TimePoint(77s));
}

TEST_F(JobStoreTest, WhatWasPutSurvivesKill9) {
  const pid_t child = fork();
  if (child == 0) {
    const auto store = open_job_store(folder_, "boot-1", {});
    store->load();
    for (std::uint64_t number = 1; number <= 500; ++number) store->put(pending(number));
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(load().jobs.size(), 500u);
}

TEST_F(JobStoreTest, AfterAnotherBootAgesAreOfTheWallClock) {
  {
    const auto store = open("boot-1");
    store->load();
    store->put(pending(1));
  }
  {  // As if the monotonic clock had restarted.
    SqliteDatabase file(database(), 1000);
    file.run("UPDATE job SET arrived = 5");
  }
  const StoredState state = load("boot-2");
  EXPECT_EQ(state.boot, Boot::other);
  const Duration age = Clock::now() - state.jobs.at(0).job.arrived;
  EXPECT_GE(age, 89s);
  EXPECT_LT(age, 120s);
}

TEST_F(JobStoreTest, TheFileOfALaterVersionIsLeftAlone) {
  load();
  SqliteDatabase(database(), 1000).run("PRAGMA user_version = 2");
  try {
    load();
    FAIL() << "it was read";
  } catch (const NewerState& problem) {
    EXPECT_NE(std::string(problem.what()).find("schema 2"), std::string::npos) << problem.what();
  }
  EXPECT_EQ(SqliteDatabase(database(), 1000).user_version(), 2);
}

TEST_F(JobStoreTest, ASecondDaemonGetsNothing) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto store = open_job_store(folder_, "boot-1", {});
    store->load();
    store->put(pending(1));
    if (write(ready[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto store = open();
  EXPECT_TRUE(store->load().jobs.empty());
  EXPECT_EQ(store->failing(), "process " + std::to_string(child) + " keeps its jobs there");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  store->replace({});
  EXPECT_TRUE(store->failing()) << "its jobs are the other one's to take back";
  EXPECT_EQ(load().jobs.size(), 1u);
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace sluice::testing::job_store_test
