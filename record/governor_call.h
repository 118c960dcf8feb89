#pragma once

#include <string>

namespace sluice::record {

/// A call to the governor with its result, see governor/inputs/input_log.h.
struct GovernorCall {
  std::string bytes;
  bool operator==(const GovernorCall&) const = default;
  static void fields(auto& self, auto&& visit) { visit(self.bytes); }
};

}  // namespace sluice::record
