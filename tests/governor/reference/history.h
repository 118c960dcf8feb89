#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "governor/core.h"
#include "sluice/job.h"
#include "sluice/options.h"

namespace sluice::reference {

/// An event in the life of a governor. Jobs have numbers of their own, so the rest of a history
/// still makes sense without an event: events on missing jobs do nothing.
struct Event {
  enum class What {
    submit,
    expect,
    give_up,
    finish,
    cancel,
    set,
    pause_queue,
    resume_queue,
    pause,
    resume,
    red,
    green,
    look,
    reload,
    pass
  };
  What what = What::pass;
  int second = 0;
  int job = 0;
  JobRequest request;      ///< For submit.
  std::vector<int> after;  ///< For submit: the jobs it comes after.
  JobChange change;        ///< For set.
  int beside = 0;          ///< For set: the job of `before` and `after`.
  Outcome outcome = Outcome::ok;
  std::string queue;
  QueueingOptions options;  ///< For reload.
};

struct History {
  GovernorOptions options;
  std::vector<Event> events;
};

/// A random history of a governor with random options. The same seed gives the same history.
History random_history(std::uint64_t seed);

/// A history as text that can be followed by hand.
std::string describe(const History& history);
std::string describe(const Event& event);

/// Receives the indexed core after each pass, and the decisions of the pass.
using Watch = std::function<void(Core&, TimePoint, const std::vector<Decision>&)>;

/// Runs the plain core and the indexed one through the same history. Returns the first difference
/// as a sentence; empty if there is none.
std::string difference(const History& history, const Watch& watch = {});

/// A complete decision as text.
std::string describe(const Decision& decision);

/// Leaves out events as long as the history still differs. Returns the shortest such history.
History shrink(History history);

}  // namespace sluice::reference
