#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>

namespace sluice {

/// A pipe whose one end a process writes to and whose other end is read here, as fast as whoever
/// takes the bytes allows. All belongs to the thread of the io_context.
class OutputPipe {
 public:
  /// `take` gets the bytes as they come and says whether it wants more; if not, call `go_on` later.
  enum class Want { more, pause };
  using Take = std::function<Want(std::string)>;

  OutputPipe(boost::asio::io_context& context, Take take);
  ~OutputPipe();

  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  /// False: there are no more descriptors.
  bool open();
  /// For the process; -1 after `close_write_end`.
  int write_end() const { return write_end_; }
  /// To be called when the process has it.
  void close_write_end();

  void go_on();

  /// What is in the pipe still; nothing is read after that.
  std::string drain();

 private:
  void read_available();

  boost::asio::posix::stream_descriptor read_end_;
  Take take_;
  int write_end_ = -1;
  bool waiting_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  ///< For a handler that comes too late.
};

}  // namespace sluice
