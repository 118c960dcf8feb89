#pragma once

#include <string>

namespace sluice {

/// How `sluice serve` is reached.
struct ServiceOptions {
  std::string socket;                     ///< Path of the Unix socket; empty: the default place.
  std::string listen = "127.0.0.1:9797";  ///< For metrics and health; empty: no TCP port.
};

}  // namespace sluice
