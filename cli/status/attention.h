#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "process/signals.h"
#include "sluice/units.h"

namespace sluice::cli {

/// A key that a command knows.
enum class Key { up, down, page_up, page_down, home, end, sort, help, quit };

/// The keys in what a terminal has sent at once; others are left out. Pure.
std::vector<Key> keys_in(std::string_view sent);

/// What people may want of a command while it waits: signals, and keys where there is a terminal.
class Attention {
 public:
  /// `keys`: a terminal; -1: none. To be made before any other thread.
  Attention(std::initializer_list<int> signals, int keys) : signals_(signals), keys_(keys) {}

  /// Waits until `descriptor` can be read, and says whether it can: not where the time is over, or
  /// any of what is below is wanted. -1: for the time alone.
  bool wait(int descriptor, TimePoint until);

  bool ended = false;    ///< By q or a signal.
  bool stopped = false;  ///< By Ctrl-Z; to be reset by who has seen to it, as the next.
  bool resized = false;
  std::vector<Key> pressed;  ///< Other keys than q.

 private:
  void take_signals();
  void take_keys();

  SignalDescriptor signals_;
  int keys_;
};

}  // namespace sluice::cli
