#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "costmodel/store/history_store.h"

namespace sluice::history_store_test {

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

inline Sample sample(std::string key, std::uint64_t peak) {
  return {std::move(key),
          "g++",
          1'700'000'000,
          Outcome::failed,
          1.25,
          Bytes{peak},
          std::chrono::milliseconds(1500)};
}

inline Sample of_user(std::string user, Sample sample) {
  sample.user = std::move(user);
  return sample;
}

/// Waits for a result of another thread or process.
template <typename Condition>
inline bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace sluice::history_store_test
