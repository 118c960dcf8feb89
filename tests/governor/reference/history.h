#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "governor/core.h"
#include "sluice/job.h"
#include "sluice/options.h"

namespace sluice::reference {

/// Something that happens to a governor. Jobs go by numbers of their own, so that an event can be
/// left out of a history and the rest still makes sense: what it says of a job that is not there
/// does nothing.
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

/// A random life of a governor with random options. The same seed gives the same one.
History random_history(std::uint64_t seed);

/// A history as text that one can follow by hand.
std::string describe(const History& history);
std::string describe(const Event& event);

/// Is shown the indexed core after each pass, and what the pass decided.
using Watch = std::function<void(Core&, TimePoint, const std::vector<Decision>&)>;

/// Lets the plain core and the indexed one live through the same history. The first thing in which
/// they differ, as a sentence; empty: nothing.
std::string difference(const History& history, const Watch& watch = {});

/// All that a decision says, as text.
std::string describe(const Decision& decision);

/// The shortest history that can be had by leaving out events and still differs.
History shrink(History history);

}  // namespace sluice::reference
