#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sluice::cli {

/// When a batch ends before its last job, in the terms of GNU parallel: `never`, or `soon` (start
/// no more) or `now` (and end running jobs) with `fail=`, `success=` or `done=` and a number of
/// jobs or a percentage of all: "soon,fail=1", "now,success=1", "soon,fail=20%".
struct BatchHalt {
  enum class When { never, soon, now };
  enum class Why { fail, success, done };
  When when = When::never;
  Why why = Why::fail;
  std::size_t count = 1;          ///< Of jobs, if there is no percentage.
  std::optional<double> percent;  ///< (0, 100]; applies from the third such job on.

  bool operator==(const BatchHalt&) const = default;
};

/// Accepts parallel's short forms as well: 0, 1, 2, -1, -2 and N%. Otherwise returns the expected
/// form of --halt.
std::variant<BatchHalt, std::string> parse_halt(std::string_view text);

/// The results of a batch so far.
struct BatchCounts {
  std::size_t known = 0;  ///< Jobs in the input read so far.
  std::size_t succeeded = 0;
  std::size_t failed = 0;
};

/// Whether it is time to halt.
bool halts(const BatchHalt& halt, const BatchCounts& counts);

}  // namespace sluice::cli
