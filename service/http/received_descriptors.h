#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/non_copyable.h"

namespace sluice::http {

/// How many more descriptors clients may send before a request takes them, over all connections
/// together. Without a limit, clients that send descriptors and never finish a request could use up
/// all that this process may open.
class DescriptorAllowance {
 public:
  explicit DescriptorAllowance(std::size_t most) : left_(most) {}
  bool try_acquire() { return left_ > 0 && left_-- > 0; }
  void give_back() { ++left_; }

 private:
  std::size_t left_;
};

/// Descriptors sent with one request. Closes those that nobody takes.
class ReceivedDescriptors : NonCopyable {
 public:
  static constexpr std::size_t kMost = 8;

  explicit ReceivedDescriptors(std::shared_ptr<DescriptorAllowance> allowance)
      : allowance_(std::move(allowance)) {}
  ~ReceivedDescriptors();

  /// Reads from a socket like recv, and keeps the descriptors that come with the bytes. Closes
  /// excess ones at once; `too_many` tells.
  ssize_t receive(int socket, std::span<char> bytes);

  std::size_t count() const { return descriptors_.size(); }
  bool too_many() const { return too_many_; }

  /// Takes all of them; the caller then owns them.
  std::vector<int> release();

  /// Closes them and starts over.
  void clear();

 private:
  void store(int descriptor);

  std::shared_ptr<DescriptorAllowance> allowance_;
  std::vector<int> descriptors_;
  bool too_many_ = false;
};

}  // namespace sluice::http
