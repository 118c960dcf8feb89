#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "service/http/http.h"
#include "sluice/units.h"

namespace sluice {

/// Who listens to `GET /v1/events`: each gets the same snapshots, made once for all of them. One
/// that does not take what it was sent misses some, and never gets a part of one.
class EventFeed {
 public:
  /// More listeners than this on one kind of socket are turned away: the rest of the connections is
  /// for requests, and who may only read cannot take the places of the Unix socket.
  static constexpr std::size_t kMostListeners = 100;

  struct Links {
    std::function<std::string()> status;  ///< JSON on one line.
    std::function<std::string()> jobs;    ///< The same; takes as long as there are jobs.
    /// Does nothing for who has not taken the last one yet, or has gone.
    std::function<void(ConnectionId, std::string_view)> push;
    std::function<TimePoint()> now;
  };

  explicit EventFeed(Links links) : links_(std::move(links)) {}

  /// What a new listener gets at once; empty: there are too many.
  std::string add(ConnectionId connection, Transport transport);
  void remove(ConnectionId connection) { listeners_.erase(connection); }
  std::size_t listeners() const { return listeners_.size(); }

  /// To be called once a second: everybody gets what is now.
  void tick();

 private:
  struct Listener {
    Transport transport = Transport::unix_socket;
    std::uint64_t jobs_seen = 0;  ///< Which list of jobs it was sent last.
  };

  void refresh_jobs();

  Links links_;
  std::map<ConnectionId, Listener> listeners_;
  std::string jobs_;             ///< The event as sent last.
  std::uint64_t jobs_made_ = 0;  ///< How often the list was made.
  TimePoint jobs_due_;
};

/// One server-sent event. `data` must not hold a line feed.
std::string event_text(std::string_view name, std::string_view data);

}  // namespace sluice
