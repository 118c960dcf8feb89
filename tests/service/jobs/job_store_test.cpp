// The SQLite store on real disks: the effects of kill -9, a torn file, a full disk and a later
// version.
#include "service/jobs/job_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "costmodel/sqlite.h"
#include "fixture.h"

namespace sluice::testing {
namespace {
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Boot = StoredState::Boot;

StoredJob pending(std::uint64_t number) {
  StoredJob stored;
  stored.job.id = JobId{number};
  stored.job.request.id = "job-" + std::to_string(number);
  stored.job.cost = Points{5};
  stored.job.arrived = Clock::now() - 90s;
  stored.job.order = {number, static_cast<std::int64_t>(number), 0};
  return stored;
}

StoredJob running(std::uint64_t number) {
  StoredJob stored = pending(number);
  stored.job.admitted = Clock::now() - 30s;
  stored.job.items = {{"ports", {"p1", "p3"}}};
  stored.lease.process = LeaseProcess{42, 123456789};
  stored.lease.heartbeat = 60s;
  stored.lease.renewed = Clock::now();
  return stored;
}

class JobStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<JobStore> open(const std::string& boot = "boot-1") {
    return open_job_store(folder_, boot, [this](const std::string& line) { said_ += line + "\n"; });
  }
  StoredState load(const std::string& boot = "boot-1") { return open(boot)->load(); }
  std::string database() const { return folder_ + "/jobs.db"; }
  bool said(const std::string& part) const { return said_.find(part) != std::string::npos; }

  TemporaryFolder around_;
  std::string folder_ = around_.path("state");
  std::string said_;
};

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
    store->keep_secret("0123");
  }
  EXPECT_EQ(load().permit_secret, "0123");
  const auto store = open();
  store->load();
  std::ofstream(database(), std::ios::trunc) << std::string(8192, 'x');
  store->replace({});
  EXPECT_EQ(load().permit_secret, "0123");
}

TEST_F(JobStoreTest, FollowsNoLink) {
  fs::create_directories(folder_);
  const std::string elsewhere = around_.path("elsewhere");
  fs::create_symlink(elsewhere, database());
  const auto store = open();
  store->load();
  EXPECT_TRUE(store->failing());
  EXPECT_FALSE(fs::exists(elsewhere));
}

TEST_F(JobStoreTest, WhatIsNoFileIsRefusedAtOnceAndLeftAsItIs) {
  fs::create_directories(folder_);
  for (const char* part : {"", "-wal", "-shm", ".lock"}) {
    for (const fs::file_type kind : {fs::file_type::fifo, fs::file_type::directory}) {
      const std::string path = database() + part;
      const bool is_fifo = kind == fs::file_type::fifo;
      ASSERT_TRUE(is_fifo ? mkfifo(path.c_str(), 0600) == 0 : fs::create_directory(path));
      const auto store = open();
      store->load();
      ASSERT_TRUE(store->failing()) << path;
      EXPECT_NE(store->failing()->find(path + (is_fifo ? " is a fifo" : " is a folder")),
                std::string::npos)
          << *store->failing();
      EXPECT_EQ(fs::symlink_status(path).type(), kind);
      for (const char* made : {"", "-wal", "-shm", ".lock"}) fs::remove(database() + made);
    }
  }
}

TEST_F(JobStoreTest, SaysThatALogOfWhichOneBitFlippedLostJobs) {
  const pid_t child = fork();
  if (child == 0) {
    const auto store = open();
    store->load();
    for (std::uint64_t number = 1; number <= 30; ++number) store->put(pending(number));
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  {
    std::fstream log(database() + "-wal", std::ios::in | std::ios::out | std::ios::binary);
    constexpr std::streamoff kInFifthFrame = 32 + 4 * (24 + 4096) + 24 + 1000;
    log.seekg(kInFifthFrame);
    const int byte = log.get();
    log.seekp(kInFifthFrame);
    log.put(static_cast<char>(byte ^ 1));
  }
  EXPECT_LT(load().jobs.size(), 30u);
  EXPECT_TRUE(said("jobs.db-wal is damaged: frame 5 does not match its checksum")) << said_;
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

TEST_F(JobStoreTest, IsReadWhereNothingCanBeWritten) {
  {
    const auto store = open();
    store->load();
    store->put(running(3));
    store->put(pending(7));
  }
  // SQLite cannot create its log where a folder is.
  fs::create_directories(database() + "-wal/in-the-way");
  const auto store = open();
  const StoredState state = store->load();
  EXPECT_TRUE(store->failing());
  ASSERT_EQ(state.jobs.size(), 2U) << said_;
  EXPECT_GE(state.last.value, 7U);
  fs::remove_all(database() + "-wal");
  store->replace(state.jobs);
  EXPECT_FALSE(store->failing()) << *store->failing();
  EXPECT_FALSE(said("broken"));
}

TEST_F(JobStoreTest, ANumberThatNoJobCanHaveIsSaidAndLeftOut) {
  {
    const auto store = open();
    store->load();
    store->put(pending(7));
  }
  SqliteDatabase(database(), 1000)
      .run(
          "UPDATE job SET number = -1; UPDATE meta SET value = '18446744073709551615' WHERE name = "
          "'last'");
  const StoredState state = load();
  EXPECT_TRUE(state.jobs.empty());
  EXPECT_LT(state.last.value, std::uint64_t{1} << 63);
  EXPECT_TRUE(said("number"));
}

TEST_F(JobStoreTest, WhatWasPutComesBackWholeAndWhatWasRemovedDoesNot) {
  const StoredJob ran = running(3);
  StoredJob waits = pending(7);
  waits.job.frozen = true;
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
  EXPECT_EQ(state.jobs[1].job.request.id, "job-7");
  EXPECT_EQ(state.jobs[1].job.arrived, waits.job.arrived);
  EXPECT_EQ(state.jobs[1].job.order, waits.job.order);
  EXPECT_EQ(state.jobs[1].lease, waits.lease);
  EXPECT_TRUE(state.jobs[1].job.frozen);
  EXPECT_FALSE(state.jobs[1].job.admitted);
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

TEST_F(JobStoreTest, ATornFileIsMovedAsideAndSaid) {
  {
    const auto store = open();
    store->load();
    store->put(pending(1));
  }
  std::fstream(database(), std::ios::in | std::ios::out).write("this is no database", 19);
  const auto store = open();
  EXPECT_TRUE(store->load().jobs.empty());
  EXPECT_FALSE(store->failing());
  EXPECT_TRUE(said("is broken")) << said_;
  EXPECT_TRUE(said("jobs.db.broken-")) << said_;
  store->put(pending(2));
  EXPECT_FALSE(store->failing());
}

TEST_F(JobStoreTest, ARowThatCannotBeReadIsSaid) {
  {
    const auto store = open();
    store->load();
    store->put(pending(1));
    store->put(pending(2));
  }
  SqliteDatabase(database(), 1000).run("UPDATE job SET request = '{\"x\":1}' WHERE number = 1");
  EXPECT_EQ(load().jobs.size(), 1u);
  EXPECT_TRUE(said("job 1: unknown field")) << said_;
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

TEST_F(JobStoreTest, AFolderThatCannotBeMadeIsSaidAndTriedAgain) {
  write_file(folder_, "in the way");
  const auto store = open();
  EXPECT_TRUE(store->load().jobs.empty());
  ASSERT_TRUE(store->failing());
  store->put(pending(1));
  fs::remove(folder_);
  store->replace({pending(1), pending(2)});
  EXPECT_FALSE(store->failing()) << *store->failing();
  EXPECT_TRUE(said("is usable again: all 2 jobs")) << said_;
}

/// Puts jobs until one fails, and makes room. Nothing may be lost in the end.
void expect_it_goes_on(JobStore& store, const std::function<void()>& make_room) {
  std::vector<StoredJob> all;
  for (std::uint64_t number = 1; number <= 20'000 && !store.failing(); ++number) {
    all.push_back(running(number));
    store.put(all.back());
  }
  ASSERT_TRUE(store.failing());
  store.put(pending(30'000));
  store.remove(JobId{1}, JobStore::End::badly);
  all.erase(all.begin());
  make_room();
  store.replace(all);
  EXPECT_FALSE(store.failing()) << *store.failing();
}

/// A disk of 1 MiB mounted on a folder, which takes privileges.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    fs::create_directory(folder);
    is_mounted_ = mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (is_mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool is_mounted() const { return is_mounted_; }
  void enlarge() const { mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT, "size=64m"); }

 private:
  const std::string folder_;
  bool is_mounted_ = false;
};

TEST_F(JobStoreTest, AFullDiskIsSaidAndAllIsKeptOnceThereIsRoom) {
  const SmallDisk disk(folder_);
  if (!disk.is_mounted()) GTEST_SKIP() << "a small disk needs the right to mount one";
  {
    const auto store = open();
    store->load();
    expect_it_goes_on(*store, [&] { disk.enlarge(); });
  }
  const StoredState state = load();
  EXPECT_GT(state.jobs.size(), 10u);
  EXPECT_EQ(state.failed, std::vector<JobId>{JobId{1}});
}

/// Limits the size of files; writes beyond it fail as on a full disk, for all users.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    before_handler_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  void lift() const { setrlimit(RLIMIT_FSIZE, &before_); }
  ~FileSizeLimit() {
    lift();
    signal(SIGXFSZ, before_handler_);
  }

 private:
  rlimit before_{};
  void (*before_handler_)(int) = SIG_DFL;
};

TEST_F(JobStoreTest, FilesThatMayNotGrowAreLikeAFullDisk) {
  {
    const auto store = open();
    store->load();
    const FileSizeLimit limit(1 << 20);
    expect_it_goes_on(*store, [&] { limit.lift(); });
  }
  EXPECT_EQ(load().failed, std::vector<JobId>{JobId{1}});
}

}  // namespace
}  // namespace sluice::testing
