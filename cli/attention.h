#pragma once

#include <initializer_list>

#include "service/signals.h"
#include "sluice/units.h"

namespace sluice::cli {

/// What people may want of a command while it waits: signals, and keys where there is a terminal.
class Attention {
 public:
  /// `keys`: a terminal; -1: none. To be made before any other thread.
  Attention(std::initializer_list<int> signals, int keys) : signals_(signals), keys_(keys) {}

  /// Waits until `descriptor` can be read, and says whether it can: not where the time is over, or
  /// any of the three below is wanted. -1: for the time alone.
  bool wait(int descriptor, TimePoint until);

  bool ended = false;    ///< By q, Q or a signal.
  bool stopped = false;  ///< By Ctrl-Z; to be reset by who has seen to it, as the next.
  bool resized = false;

 private:
  void take_signals();
  void take_key();

  SignalDescriptor signals_;
  int keys_;
};

}  // namespace sluice::cli
