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

// What a daemon is put together from. What cannot be had is a CannotServe, thrown.

SocketClaim claim_socket(const ServerPlace& place, const ServiceOptions& options);

/// A socket that listens there; none where there is to be none.
std::optional<int> open_tcp(const std::string& address);

std::unique_ptr<WorkSources> make_sources(boost::asio::io_context& context, const Config& config,
                                          const Log& log);

/// `history` is set to what the governor's predictions come from; `executor`: see `assemble`.
std::unique_ptr<Governor> start_governor(const Config& config, GovernorEvents events,
                                         const Log& log, const WorkSources& sources,
                                         std::shared_ptr<History>& history,
                                         std::shared_ptr<const ExecutorGroup> executor);

/// What may be declared of jobs in all: an eighth of the memory that this process may use.
std::size_t room_for_declarations();

MemoryMeter memory_of_this_host();

/// Cores and memory of this machine.
MostUsed most_used_here();

/// With `history`, if it is there, for what is learned.
Learning learning(std::shared_ptr<History> history, const Log& log);

/// Where no costs are learned, what a token's work needs is all the same, while the daemon runs.
std::shared_ptr<History> history_or_new(std::shared_ptr<History> history);

}  // namespace sluice
