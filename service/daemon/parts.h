#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/socket_places.h"
#include "costmodel/history.h"
#include "service/daemon/daemon.h"
#include "service/gearman/work_sources.h"
#include "service/http/socket_claim.h"
#include "service/jobs/most_used.h"
#include "sluice/embed.h"
#include "sluice/prediction.h"

namespace sluice {

// Factories for the parts of a daemon. They throw CannotServe for parts they cannot make.

http::SocketClaim claim_socket(const ServerPlace& place, const ServiceOptions& options);

/// A socket that listens at the address; nullopt for an empty address.
std::optional<int> open_tcp(const std::string& address);

std::unique_ptr<gearman::WorkSources> make_sources(boost::asio::io_context& context,
                                                   const Config& config, const Log& log);

/// Sets `history` to the source of the governor's predictions; `executor`: see `assemble`.
std::unique_ptr<Governor> start_governor(const Config& config, GovernorEvents events,
                                         const Log& log, const gearman::WorkSources& sources,
                                         std::shared_ptr<History>& history,
                                         std::shared_ptr<const ExecutorGroup> executor,
                                         GovernorOptions::WhenRed when_red);

/// Limit for what all jobs count by `counted_bytes`: an eighth of the memory that this process may
/// use.
std::size_t room_for_jobs();

MemoryMeter memory_of_this_host();

/// Cores and memory of this machine.
MostUsed most_used_here();

/// Learns with `history` if it is set.
Learning learning(std::shared_ptr<History> history, const Log& log);

/// History for tokens: even if no costs are learned, the need of a token's work is, while the
/// daemon runs.
std::shared_ptr<History> history_or_new(std::shared_ptr<History> history);

}  // namespace sluice
