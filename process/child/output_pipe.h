#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/descriptors.h"
#include "base/non_copyable.h"

namespace sluice {

/// A pipe that a process writes to and this process reads, as fast as the consumer takes the bytes.
/// Belongs to the io_context's thread.
class OutputPipe : NonCopyable {
 public:
  /// `take` gets the bytes as they arrive and says whether it wants more; after `pause`, call
  /// `go_on` later.
  enum class Want { more, pause };
  using Take = std::function<Want(std::string)>;

  OutputPipe(boost::asio::io_context& context, Take take)
      : read_end_(context), take_(std::move(take)) {}

  /// Returns false if the process is out of descriptors.
  bool open();
  /// For the writing process; -1 after `close_write_end`.
  int write_end() const { return write_end_.get(); }
  /// Call it once the writing process has its copy.
  void close_write_end() { write_end_.reset(); }

  void go_on();

  /// Returns what is left in the pipe; nothing is read afterwards.
  std::string drain();

 private:
  void read_available();

  boost::asio::posix::stream_descriptor read_end_;
  Take take_;
  Descriptor write_end_;
  bool waiting_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  ///< Expires with this object.
};

}  // namespace sluice
