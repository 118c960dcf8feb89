#include "service/daemon/descriptor_shares.h"

#include <algorithm>
#include <utility>

#include "base/process_list.h"

namespace sluice {
namespace {

constexpr std::size_t kLeftToOthers = 64;
/// Of leases and of the clients of jobservers, see `ProcessList`.
constexpr std::size_t kProcessLists = 2;
/// A jobserver's fifo and the lock of its folder, see `jobserver::TokenFifo`.
constexpr std::size_t kOfJobserver = 2;
constexpr std::size_t kPartOfJobservers = 8;

}  // namespace

DescriptorShares share_descriptors(std::uint64_t limit, http::Limits http) {
  const std::size_t others = kLeftToOthers + kProcessLists * most_kept_processes(limit);
  const std::size_t shared = limit > others ? limit - others : 0;
  const std::size_t jobservers = shared / kPartOfJobservers / kOfJobserver;
  const std::size_t left = shared - jobservers * kOfJobserver;
  const std::size_t wanted = http.connections + http.tcp_connections;
  if (wanted > left / 2) {
    http.tcp_connections = left / 2 * http.tcp_connections / wanted;
    http.connections = left / 2 - http.tcp_connections;
    http.kept = std::min(http.kept, http.connections / 4);
  }
  const std::size_t processes = left - http.connections - http.tcp_connections;
  return {std::move(http), processes, jobservers};
}

std::optional<std::string> shortage(std::uint64_t limit, const DescriptorShares& shares,
                                    const http::Limits& wanted) {
  if (shares.http.connections == wanted.connections) return std::nullopt;
  return "this daemon may open " + std::to_string(limit) +
         " files (RLIMIT_NOFILE): " + std::to_string(shares.http.connections) +
         " connections on the socket, " + std::to_string(shares.http.tcp_connections) +
         " over TCP, " + std::to_string(shares.processes) + " watched processes and " +
         std::to_string(shares.jobservers) +
         " jobservers at once; raise that limit (systemd: LimitNOFILE=) for more";
}

}  // namespace sluice
