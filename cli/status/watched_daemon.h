#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/status/input_monitor.h"
#include "cli/status/watch_change.h"
#include "cli/status/watch_view.h"
#include "client/client.h"

namespace sluice::cli {

/// A daemon that is polled repeatedly, and may go away and come back.
class WatchedDaemon {
 public:
  /// Throws std::runtime_error if there is no daemon at the start. `input` must outlive this: a
  /// request to quit may come while this waits for an answer.
  WatchedDaemon(const std::string& socket, InputMonitor& input);

  /// Requests what a screen of `lines` lines shows. Calls `meanwhile` every second that this takes,
  /// and whenever `input` has an event.
  void poll(std::size_t lines, std::function<void()> meanwhile = {});
  const Watched& watched() const { return watched_; }

  /// Requests everything; returns the object if something has changed since the last call.
  std::optional<std::string> change();

 private:
  void try_twice(const std::function<void()>& questions);
  void lose(const std::string& since, const std::string& why);
  void tell_time();
  void await_answer();
  std::string ask(const std::string& target);
  std::optional<std::string> ask_if_there(const std::string& target);
  void remember();
  void look_for_further();

  InputMonitor& input_;
  std::optional<Client> client_;
  Watched watched_;
  std::function<void()> meanwhile_;
  WatchChanges changes_;
  std::optional<double> timeline_at_;
  const bool is_named_;                              ///< The user named the socket.
  std::optional<double> further_at_;                 ///< When the further daemons were looked for.
  std::optional<std::vector<std::string>> further_;  ///< Their sockets.
};

}  // namespace sluice::cli
