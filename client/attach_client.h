#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sensors/held_folder.h"

namespace sluice {

/// How the executor's side gives its cgroup to the daemon beside it.
struct AttachOptions {
  /// `once`: give it and return. `hold`: stay, and give it again to a daemon that was restarted.
  /// `before`: become `command`, and leave a small process behind that does what `hold` does until
  /// the command has ended.
  enum class Stay { once, hold, before };
  /// What of the daemon's answer is printed.
  enum class Print { sentence, json };

  Stay stay = Stay::hold;
  Print print = Print::sentence;
  std::string socket;  ///< Empty: where clients look.
  std::vector<std::string> command;
};

/// Does it. The exit status: 0, 2 where it was refused or no daemon came within ten seconds, and
/// under `before` 127 or 126 for a command that cannot be run. Says on standard error what goes
/// wrong.
int attach(const AttachOptions& options);

/// The body of `POST /v1/attach`; the descriptors of `folders` go with it, in their order. Pure.
std::string attach_body(const std::vector<GroupFolder>& folders);

/// What an answer that is an error says; all of it where it is none. Pure.
std::string message_in(std::string_view answer);

}  // namespace sluice
