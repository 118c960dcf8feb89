#include "service/http/received_descriptors.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace sluice::http {

ReceivedDescriptors::~ReceivedDescriptors() { clear(); }

ssize_t ReceivedDescriptors::receive(int socket, std::span<char> bytes) {
  // The kernel closes descriptors that do not fit, and reports it.
  alignas(cmsghdr) char control[CMSG_SPACE(kMost * sizeof(int))];
  iovec part{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0) return got;
  if ((message.msg_flags & MSG_CTRUNC) != 0) too_many_ = true;
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t at = 0; at < count; ++at) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(each) + at * sizeof descriptor, sizeof descriptor);
      store(descriptor);
    }
  }
  return got;
}

void ReceivedDescriptors::store(int descriptor) {
  if (descriptors_.size() < kMost && allowance_->try_acquire()) {
    descriptors_.push_back(descriptor);
    return;
  }
  ::close(descriptor);
  too_many_ = true;
}

std::vector<int> ReceivedDescriptors::release() {
  for (std::size_t at = 0; at < descriptors_.size(); ++at) allowance_->give_back();
  return std::exchange(descriptors_, {});
}

void ReceivedDescriptors::clear() {
  for (const int descriptor : release()) ::close(descriptor);
  too_many_ = false;
}

}  // namespace sluice::http
