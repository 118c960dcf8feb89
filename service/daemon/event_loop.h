#pragma once

#include <boost/asio/io_context.hpp>

namespace sluice {

/// Runs the context until it is stopped. Polls for a moment after each event before it sleeps:
/// waking a sleeping core takes longer than answering a request, most of all on a virtual machine.
void run_alert(boost::asio::io_context& context);

}  // namespace sluice
