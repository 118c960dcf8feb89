#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace sluice::cli {

/// A queue of a few values from one thread to another.
template <typename T>
class BoundedQueue {
 public:
  /// Waits for room. False after `close`: the value goes nowhere.
  bool push(T value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return values_.size() < kMost || is_closed_; });
    if (is_closed_) return false;
    values_.push_back(std::move(value));
    changed_.notify_all();
    return true;
  }
  /// Waits for a value; nullopt when there are no more.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !values_.empty() || is_closed_; });
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    changed_.notify_all();
    return value;
  }
  /// By either thread: nothing more comes, or is wanted.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t kMost = 4;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> values_;
  bool is_closed_ = false;
};

}  // namespace sluice::cli
