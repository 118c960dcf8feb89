#pragma once

#include <string>
#include <utility>

#include "sensors/files/result.h"
#include "sluice/reading.h"

namespace sluice {

/// value / limit; reaching the limit is red.
Reading number_reading(double value, double limit, const std::string& source);

/// A single finite number, surrounded only by white space.
Result<double> parse_single_number(std::string_view text);

/// A sensor of kind `file`: a user's number in a file. Opens it for each read, so that it sees a
/// file replaced by renaming. Blocks while its filesystem hangs. Not thread-safe.
class NumberFileSensor {
 public:
  NumberFileSensor(std::string path, double limit) : path_(std::move(path)), limit_(limit) {}
  Result<Reading> read(TimePoint now);

 private:
  std::string path_;
  double limit_;
};

}  // namespace sluice
