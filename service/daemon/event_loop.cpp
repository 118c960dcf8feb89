#include "service/daemon/event_loop.h"

#include <sched.h>

#include "sluice/units.h"

namespace sluice {
namespace {

/// How long to poll for the next event after each one.
constexpr Duration kAlert = std::chrono::microseconds(50);

}  // namespace

void run_alert(boost::asio::io_context& context) {
  while (context.run_one() > 0) {
    for (TimePoint until = Clock::now() + kAlert; Clock::now() < until;) {
      if (context.poll() > 0) {
        until = Clock::now() + kAlert;
      } else {
        sched_yield();
      }
    }
  }
}

}  // namespace sluice
