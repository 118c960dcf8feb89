#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace sluice {

class Faults;
class Jobserver;

/// Runs a jobserver's `work` on an io_context's thread whenever there is something to do; `faults`
/// notes what it throws.
class JobserverWatch {
 public:
  JobserverWatch(boost::asio::io_context& context, Jobserver& jobserver, Faults& faults);

 private:
  void wait();

  Jobserver& jobserver_;
  Faults& faults_;
  boost::asio::posix::stream_descriptor ready_;
};

}  // namespace sluice
