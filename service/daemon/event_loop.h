#pragma once

#include <sched.h>

#include <boost/asio/io_context.hpp>

#include "sluice/units.h"

namespace sluice {

/// Runs the context until it is stopped. Polls for a moment after each event before it sleeps:
/// waking a sleeping core takes longer than answering a request, most of all on a virtual machine.
inline void run_alert(boost::asio::io_context& context) {
  constexpr Duration alert = std::chrono::microseconds(50);
  while (context.run_one() > 0) {
    for (TimePoint until = Clock::now() + alert; Clock::now() < until;) {
      if (context.poll() > 0) {
        until = Clock::now() + alert;
      } else {
        sched_yield();
      }
    }
  }
}

}  // namespace sluice
