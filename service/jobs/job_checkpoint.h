#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace sluice {

/// Checkpoints the write-ahead log of an SQLite file from time to time. Runs on its own thread,
/// because a checkpoint waits for the disk and admission must not. If a checkpoint fails, the log
/// grows until one succeeds.
class JobCheckpoint {
 public:
  explicit JobCheckpoint(std::string path);
  JobCheckpoint(const JobCheckpoint&) = delete;
  JobCheckpoint& operator=(const JobCheckpoint&) = delete;
  ~JobCheckpoint();

  /// Reports that `rows` more rows were written.
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
