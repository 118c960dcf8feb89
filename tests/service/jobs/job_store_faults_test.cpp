// The store of jobs with files that are damaged, in the way, or have no room.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <vector>

#include "base/sqlite/sqlite.h"
#include "job_store_fixture.h"

namespace sluice::testing::job_store_test {
namespace {

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
}  // namespace sluice::testing::job_store_test
