#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace sluice {

/// Folds the write-ahead log of an SQLite file into it from time to time, on a thread of its own:
/// that waits for the disk, which nobody who admits jobs should. Where it cannot, the log grows
/// until it can.
class JobCheckpoint {
 public:
  explicit JobCheckpoint(std::string path);
  JobCheckpoint(const JobCheckpoint&) = delete;
  JobCheckpoint& operator=(const JobCheckpoint&) = delete;
  ~JobCheckpoint();

  /// That many rows more were written.
  void wrote(std::size_t rows);

 private:
  void work();
  void checkpoint() const;

  const std::string path_;
  std::mutex mutex_;
  std::condition_variable due_;
  std::size_t written_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace sluice
