#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sluice {

/// How many descriptors clients may have sent that no request has taken yet, of all connections
/// together: with more, clients that send them and never finish a request could use up all that
/// this process may open.
class DescriptorAllowance {
 public:
  explicit DescriptorAllowance(std::size_t most) : left_(most) {}
  bool take() { return left_ > 0 && left_-- > 0; }
  void give_back() { ++left_; }

 private:
  std::size_t left_;
};

/// Descriptors that came beside the bytes of one request. Those that nobody takes are closed.
class ReceivedDescriptors {
 public:
  static constexpr std::size_t kMost = 8;

  explicit ReceivedDescriptors(std::shared_ptr<DescriptorAllowance> allowance);
  ~ReceivedDescriptors();
  ReceivedDescriptors(const ReceivedDescriptors&) = delete;
  ReceivedDescriptors& operator=(const ReceivedDescriptors&) = delete;

  /// Reads from a socket as recv does, and keeps what comes beside the bytes. What is too much is
  /// closed at once, and said by `too_many`.
  ssize_t receive(int socket, std::span<char> bytes);

  std::size_t count() const { return descriptors_.size(); }
  bool too_many() const { return too_many_; }

  /// All of them, which are the caller's from here on.
  std::vector<int> take();

  /// Closes them, and begins afresh.
  void clear();

 private:
  void keep(int descriptor);

  std::shared_ptr<DescriptorAllowance> allowance_;
  std::vector<int> descriptors_;
  bool too_many_ = false;
};

}  // namespace sluice
