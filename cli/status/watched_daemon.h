#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/status/attention.h"
#include "cli/status/watch_change.h"
#include "cli/status/watch_view.h"
#include "client/client.h"

namespace sluice::cli {

/// A daemon that is looked at again and again, and may go and come again meanwhile.
class WatchedDaemon {
 public:
  /// Throws std::runtime_error where none is there at the start. `attention` outlives it: while it
  /// waits for an answer, the end may be wanted.
  WatchedDaemon(const std::string& socket, Attention& attention);

  /// Asks for what a screen of so many lines shows. `meanwhile` is called each second that this
  /// takes, and when the attention is wanted.
  void look(std::size_t lines, std::function<void()> meanwhile = {});
  const Watched& watched() const { return watched_; }

  /// Asks for all; the object if something has changed since the last time.
  std::optional<std::string> change();

 private:
  void try_twice(const std::function<void()>& questions);
  void lose(const std::string& since, const std::string& why);
  void tell_time();
  void await_answer();
  std::string ask(const std::string& target);
  std::optional<std::string> ask_if_there(const std::string& target);
  void remember();

  Attention& attention_;
  std::optional<Client> client_;
  Watched watched_;
  std::function<void()> meanwhile_;
  WatchChanges changes_;
  std::optional<double> history_at_;
};

}  // namespace sluice::cli
