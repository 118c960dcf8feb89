#pragma once

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/descriptors.h"
#include "service/jobserver/auth_style.h"

namespace sluice::jobserver {

/// Style of the jobserver option in each of the two variables.
struct ClientStyles {
  AuthStyle makeflags = AuthStyle::fifo;
  AuthStyle cargo = AuthStyle::fifo;
  /// Whether MAKEFLAGS names the jobserver. Not for make with a number of its own: it would warn
  /// that it resets the jobserver.
  bool tells_make = true;
};

/// Environment and descriptors that tell a client of its jobserver. The descriptors stay open as
/// long as this exists, and close on exec in programs that do not keep them.
class ClientSetting {
 public:
  /// `path`: the fifo. On failure, returns the problem.
  static std::variant<ClientSetting, std::string> make(const std::string& path,
                                                       ClientStyles styles);

  /// MAKEFLAGS, based on the given `makeflags` (without the jobserver that these may name),
  /// CARGO_MAKEFLAGS, and SLUICE_JOBSERVER, which tells
  /// `sluice-launch` that tokens govern it.
  std::map<std::string, std::string> environment(const std::string& makeflags) const;
  /// Descriptors that the client must inherit.
  std::vector<int> kept() const;

 private:
  /// Both ends of the fifo, open for the client; none if it opens the fifo by its path.
  struct Ends {
    Descriptor read, write;
  };

  ClientSetting(ClientStyles styles, std::string path) : styles_(styles), path_(std::move(path)) {}

  ClientStyles styles_;
  std::string path_;
  /// Those that MAKEFLAGS and CARGO_MAKEFLAGS name. They differ, because make before 4.4 closes its
  /// own in recipes that it does not know to call make, and a cargo there needs its own.
  Ends make_, cargo_;
};

}  // namespace sluice::jobserver
