#pragma once

#include <fcntl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "service/jobs/faults.h"
#include "service/jobserver/jobserver.h"

namespace sluice {

/// Runs a jobserver's `work` on an io_context's thread whenever there is something to do; `faults`
/// notes what it throws.
class JobserverWatch {
 public:
  /// Uses a duplicated descriptor, because the io_context closes it.
  JobserverWatch(boost::asio::io_context& context, jobserver::Server& jobserver, Faults& faults)
      : jobserver_(jobserver),
        faults_(faults),
        ready_(context, fcntl(jobserver.descriptor(), F_DUPFD_CLOEXEC, 0)) {
    wait();
  }

 private:
  void wait() {
    ready_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                      [this](boost::system::error_code error) {
                        if (error) return;
                        faults_.contain(FaultPlace::jobserver, "", [this] { jobserver_.work(); });
                        wait();
                      });
  }

  jobserver::Server& jobserver_;
  Faults& faults_;
  boost::asio::posix::stream_descriptor ready_;
};

}  // namespace sluice
