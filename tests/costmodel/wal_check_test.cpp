#include "base/sqlite/wal_check.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "costmodel/store/history_store.h"
#include "costmodel/store/history_table.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kHeader = 32, kPage = 4096, kFrame = 24 + kPage;

Sample sample(const std::string& key, std::uint64_t peak) {
  return {key, "g++", 1'700'000'000, Outcome::ok, 1, Bytes{peak}, std::chrono::seconds(1)};
}

class WalCheckTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sluice-wal-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string database() const { return (folder_ / "history.db").string(); }
  std::string log() const { return database() + "-wal"; }
  std::uint64_t frames() const { return (fs::file_size(log()) - kHeader) / kFrame; }

  /// A database whose log holds this many transactions, as left by a killed process.
  void leave_log(int transactions) {
    const fs::path other = folder_ / "written";
    fs::create_directory(other);
    HistoryTable table((other / "history.db").string());
    for (int i = 0; i < transactions; ++i) table.exchange({sample("k" + std::to_string(i), 1)});
    for (const char* part : {"", "-wal"}) {
      fs::copy_file(other / (std::string("history.db") + part), database() + part,
                    fs::copy_options::overwrite_existing);
    }
  }

  void flip_bit(std::uint64_t at) const {
    std::fstream file(log(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 4));
  }

  fs::path folder_;
};

TEST_F(WalCheckTest, NothingIsWrongWithALogThatIsWholeOrNotThere) {
  EXPECT_FALSE(damage_of_wal(log()));
  leave_log(20);
  ASSERT_GT(frames(), 20U);
  EXPECT_FALSE(damage_of_wal(log()));
  fs::resize_file(log(), 0);
  EXPECT_FALSE(damage_of_wal(log()));
}

TEST_F(WalCheckTest, OneFlippedBitAnywhereBeforeTheLastCommitIsFound) {
  leave_log(30);
  const std::uint64_t last = frames();
  for (std::uint64_t frame = 1; frame < last; frame += 5) {
    const std::uint64_t start = kHeader + (frame - 1) * kFrame;
    // The page number, the salt, the checksum and the page.
    for (const std::uint64_t at : {start + 3, start + 9, start + 17, start + 24 + 2000}) {
      flip_bit(at);
      const auto damage = damage_of_wal(log());
      ASSERT_TRUE(damage) << frame << " " << at - start;
      EXPECT_EQ(damage->frame, frame);
      EXPECT_GE(damage->lost, 1U);
      flip_bit(at);
    }
  }
  EXPECT_FALSE(damage_of_wal(log()));
  flip_bit(17);
  ASSERT_TRUE(damage_of_wal(log()));
  EXPECT_EQ(damage_of_wal(log())->frame, 0U);
}

TEST_F(WalCheckTest, WhatAKilledWriterHadNotCommittedIsNoDamage) {
  leave_log(10);
  const std::uint64_t size = fs::file_size(log());
  const auto refill = [&] { leave_log(10); };
  for (const std::uint64_t torn :
       {size - 1, size - kPage, size - kFrame + 8, size - kFrame - 100}) {
    fs::resize_file(log(), torn);
    EXPECT_FALSE(damage_of_wal(log())) << torn;
    fs::remove_all(folder_ / "written");
    refill();
  }
  flip_bit(size - 100);
  EXPECT_FALSE(damage_of_wal(log())) << "the last frame alone may be torn";
}

TEST_F(WalCheckTest, TheHistorySaysWhatItLost) {
  leave_log(30);
  flip_bit(kHeader + 3 * kFrame + 500);
  std::vector<std::string> said;
  const auto store =
      open_history_store(folder_.string(), [&](const std::string& line) { said.push_back(line); });
  EXPECT_LT(store->load().size(), 30U);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("-wal is damaged: frame 4 does not match its checksum"), std::string::npos)
      << said[0];
}

/// Writes until killed.
[[noreturn]] void write_for_ever(const std::string& folder, unsigned seed) {
  const auto store = open_history_store(folder, {});
  std::mt19937 random(seed);
  for (std::uint64_t i = 0;; ++i) {
    store->add(sample("key" + std::to_string(random() % 3000), i));
    if (i % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
  }
}

TEST_F(WalCheckTest, TwoHundredKillsUnderLoadGiveNoFalseAlarm) {
  std::vector<std::string> said;
  std::mt19937 random(7);
  std::size_t with_log = 0;
  for (unsigned round = 0; round < 200; ++round) {
    const pid_t child = fork();
    if (child == 0) write_for_ever(folder_.string(), round);
    // Until it has written, and then a random while longer.
    const std::uint64_t looks = 1 + random() % 20;
    for (std::uint64_t look = 0; look < looks;) {
      if (round % 10 == 0) {
        ASSERT_FALSE(damage_of_wal(log())) << round;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::error_code none;
      if (fs::file_size(log(), none) > kHeader && !none) ++look;
    }
    // At least the first one writes runs, too, and not only the tables for them.
    while (round == 0 && open_stored_history(folder_.string(), {})->load().empty()) continue;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    std::error_code none;
    if (fs::file_size(log(), none) > kHeader && !none) ++with_log;
    ASSERT_FALSE(damage_of_wal(log())) << round;
  }
  EXPECT_GT(with_log, 150U) << "else there was nothing to look at";
  const auto store =
      open_history_store(folder_.string(), [&](const std::string& line) { said.push_back(line); });
  EXPECT_FALSE(store->load().empty());
  EXPECT_TRUE(said.empty()) << said[0];
}

}  // namespace
}  // namespace sluice
