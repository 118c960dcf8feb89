#include "process/child/output_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace sluice {
namespace {

constexpr std::size_t kChunk = 16384;

/// Empty if there is nothing to read now or ever again.
std::string read_chunk(int descriptor) {
  std::string bytes(kChunk, '\0');
  const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

}  // namespace

bool OutputPipe::open() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  // The writing end stays blocking: each end has its own flag.
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  read_end_.assign(ends[0]);
  write_end_.reset(ends[1]);
  return true;
}

void OutputPipe::go_on() {
  if (!read_end_.is_open() || std::exchange(waiting_, true)) return;
  read_end_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                       [this, alive = std::weak_ptr(alive_)](boost::system::error_code error) {
                         if (error || alive.expired()) return;
                         waiting_ = false;
                         read_available();
                       });
}

void OutputPipe::read_available() {
  if (!read_end_.is_open()) return;
  std::string bytes = read_chunk(read_end_.native_handle());
  // The last writer has closed its end.
  if (bytes.empty()) return;
  if (take_(std::move(bytes)) == Want::more) go_on();
}

std::string OutputPipe::drain() {
  std::string all;
  if (!read_end_.is_open()) return all;
  for (std::string bytes; !(bytes = read_chunk(read_end_.native_handle())).empty();) all += bytes;
  boost::system::error_code ignored;
  read_end_.close(ignored);
  return all;
}

}  // namespace sluice
