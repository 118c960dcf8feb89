#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

namespace sluice::http {

/// The connections to the Unix socket when a client asks for one more.
struct ConnectionCounts {
  std::size_t limit = 0;  ///< Most that may be open.
  std::size_t kept = 0;   ///< Of these, reserved for trusted clients.
  std::size_t open = 0;   ///< Open ones, of all users.
  std::size_t held = 0;   ///< Of the open ones, those of the client's user.
};

/// Trusted clients may use the reserved connections, and as many of all as they like.
enum class PeerKind { ordinary, trusted };

/// Whether there is a connection for a client.
enum class Vacancy {
  free,
  none,             ///< All that it may use are open.
  for_other_users,  ///< Its user holds so many that the rest is for the others.
};

/// An ordinary user who holds more than a quarter of the connections gets none of the last quarter,
/// so that no such user alone can lock out the others.
Vacancy vacancy_for(PeerKind peer, const ConnectionCounts& counts);

/// Says how many connections the user holds: "user 1000 holds 768 of 1024 connections".
std::string share_sentence(std::optional<uid_t> user, const ConnectionCounts& counts);

}  // namespace sluice::http
