#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "service/http/http.h"
#include "sluice/units.h"

namespace sluice {

/// Listeners to `GET /v1/events`. All get the same snapshots, each made once. A listener that has
/// not taken what it was sent misses snapshots, but never gets part of one.
class EventFeed {
 public:
  /// Most listeners on each kind of socket. The limit keeps connections free for requests, and
  /// readers over TCP cannot take the places of the Unix socket.
  static constexpr std::size_t kMostListeners = 100;

  struct Callbacks {
    std::function<std::string()> status;  ///< One line of JSON.
    /// The same; takes time in proportion to the number of jobs.
    std::function<std::string()> jobs;
    /// Does nothing if the listener has gone or has not taken the last event yet.
    std::function<void(http::ConnectionId, std::string_view)> push;
    std::function<TimePoint()> now;
  };

  explicit EventFeed(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}

  /// Adds a listener and returns its first events; empty if there are too many listeners.
  std::string add(http::ConnectionId connection, http::Transport transport);
  void remove(http::ConnectionId connection) { listeners_.erase(connection); }
  std::size_t listeners() const { return listeners_.size(); }

  /// Sends everybody the current snapshot; call it once a second.
  void tick();

 private:
  struct Listener {
    http::Transport transport = http::Transport::unix_socket;
    std::uint64_t jobs_seen = 0;  ///< The list of jobs that it was sent last.
  };

  void refresh_jobs();

  Callbacks callbacks_;
  std::map<http::ConnectionId, Listener> listeners_;
  std::string jobs_;             ///< The event sent last.
  std::uint64_t jobs_made_ = 0;  ///< Number of lists made.
  TimePoint jobs_due_;
};

/// Formats one server-sent event. `data` must not contain a line feed.
std::string event_text(std::string_view name, std::string_view data);

}  // namespace sluice
