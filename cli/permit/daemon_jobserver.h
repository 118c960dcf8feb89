#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "client/client.h"
#include "process/child/signals.h"
#include "sluice/job.h"

namespace sluice::cli {

/// Where a command asks the daemon for a jobserver.
inline constexpr const char* kJobserversTarget = "/v1/jobservers";

/// The request for one, as JSON. `most`: jobs at once; 0 for as many as fit.
std::string jobserver_body(const std::string& key, const std::string& program, std::size_t most);

/// The fifo of an admitted one; nullopt if the daemon does not say. A signal that would have ended
/// this process ends it while it waits for the answer.
std::optional<std::string> token_path(Client& client, const std::string& number,
                                      const SignalDescriptor& signals);

/// Tells the daemon how the command ended. Waits up to 1 s for what it says of the tokens; nullopt
/// if it says nothing.
std::optional<boost::json::object> end_jobserver(Client& client, const std::string& number,
                                                 Outcome outcome);

}  // namespace sluice::cli
