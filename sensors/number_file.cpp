#include "sensors/number_file.h"

#include "base/parse.h"
#include "base/text.h"
#include "sensors/files/file.h"
#include "sensors/pressure.h"

namespace sluice {
namespace {

constexpr std::size_t kMostBytes = 4096;

}  // namespace

Reading number_reading(double value, double limit, const std::string& source) {
  return {.conditions = {condition_at_most("value", value, limit, Unit::count, AtLimit::red)},
          .sentence = number_text(value) + ", below " + number_text(limit) + " needed",
          .source = source};
}

Result<double> parse_single_number(std::string_view text) {
  const auto number = parse_number(trimmed(text));
  if (!number) return ReadFailure{"not a number: '" + printable(trimmed(text), 40) + "'"};
  return *number;
}

Result<Reading> NumberFileSensor::read(TimePoint) {
  const auto number = read_parsed(path_, parse_single_number, kMostBytes);
  if (!value_in(number)) return failure_in(number);
  return number_reading(*value_in(number), limit_, printable(path_));
}

}  // namespace sluice
