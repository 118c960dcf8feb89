#pragma once

#include <deque>

#include "service/http/http.h"
#include "sluice/units.h"

namespace sluice::http {

/// Decides which request is answered next, of connections that share a thread with others and must
/// not delay them. Each waits at most once, and answers take at most half of the thread's time.
class Turns {
 public:
  /// Puts the connection behind those that already wait.
  void add(ConnectionId connection) { waiting_.push_back(connection); }
  void remove(ConnectionId connection) { std::erase(waiting_, connection); }

  bool empty() const { return waiting_.empty(); }
  /// Takes the one that has waited longest; there must be one.
  ConnectionId pop() {
    const ConnectionId connection = waiting_.front();
    waiting_.pop_front();
    return connection;
  }

  /// Records the time of an answer: the other work gets as much time before the next.
  void made(TimePoint began, TimePoint ended) { due_ = ended + (ended - began); }
  /// When the next request may be answered.
  TimePoint due() const { return due_; }

 private:
  std::deque<ConnectionId> waiting_;
  TimePoint due_;
};

}  // namespace sluice::http
