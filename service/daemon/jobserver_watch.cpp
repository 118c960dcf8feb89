#include "service/daemon/jobserver_watch.h"

#include <fcntl.h>

#include "service/jobs/faults.h"
#include "service/jobserver/jobserver.h"

namespace sluice {

// Uses a duplicated descriptor, because the io_context closes it.
JobserverWatch::JobserverWatch(boost::asio::io_context& context, Jobserver& jobserver,
                               Faults& faults)
    : jobserver_(jobserver),
      faults_(faults),
      ready_(context, fcntl(jobserver.descriptor(), F_DUPFD_CLOEXEC, 0)) {
  wait();
}

void JobserverWatch::wait() {
  ready_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                    [this](boost::system::error_code error) {
                      if (error) return;
                      faults_.contain(FaultPlace::jobserver, "", [this] { jobserver_.work(); });
                      wait();
                    });
}

}  // namespace sluice
