#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "process/child/signals.h"
#include "sluice/units.h"

namespace sluice::cli {

/// A key with a meaning to some command.
enum class Key { up, down, page_up, page_down, home, end, sort, help, quit };

/// The keys in one read from a terminal; ignores others. Pure.
std::vector<Key> keys_in(std::string_view sent);

/// Requests from people to a command that waits: signals, and keys on a terminal.
class InputMonitor {
 public:
  /// `keys`: a terminal, or -1 if there is none. Construct it before any other thread.
  InputMonitor(std::initializer_list<int> signals, int keys) : signals_(signals), keys_(keys) {}

  /// Waits until `descriptor` is readable and returns true; false if the time is up or one of the
  /// fields below is set. With -1, waits for the time only.
  bool wait(int descriptor, TimePoint until);

  bool ended = false;    ///< By q or a signal.
  bool stopped = false;  ///< By Ctrl-Z. The caller resets this and `resized` once handled.
  bool resized = false;
  std::vector<Key> pressed;  ///< Keys other than q.

 private:
  void take_signals();
  void take_keys();

  SignalDescriptor signals_;
  int keys_;
};

}  // namespace sluice::cli
