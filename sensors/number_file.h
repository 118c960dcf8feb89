#pragma once

#include <string>

#include "sensors/result.h"
#include "sluice/reading.h"

namespace sluice {

/// value / limit; reaching the limit is red.
Reading number_reading(double value, double limit, const std::string& source);

/// A single finite number with nothing but space around it.
Result<double> parse_single_number(std::string_view text);

/// A sensor of kind `file`: somebody's number in a file. Opens it each time, so that a file that
/// is replaced by renaming is seen. Blocks while its filesystem hangs. Not thread-safe.
class NumberFileSensor {
 public:
  NumberFileSensor(std::string path, double limit);
  Result<Reading> read(TimePoint now);

 private:
  std::string path_;
  double limit_;
};

}  // namespace sluice
