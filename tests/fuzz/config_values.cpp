// The values of a configuration, one by one: durations, sizes, points, paths...
#include "base/suggest.h"
#include "base/values.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

/// A printed value must parse to the same value.
template <typename T, typename Printed>
void check(ParsedValue<T> (*parse)(std::string_view), Printed (*print)(T), std::string_view text) {
  const auto value = parse(text);
  const T* known = std::get_if<T>(&value);
  if (known) require(parse(print(*known)) == value, "what is printed can be read");
}

std::string print_size_of(Bytes size) { return print_size(size); }
std::string print_points_of(PointsSpec points) { return print_points(points); }

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  check<Duration>(parse_duration, print_duration, text);
  check<Duration>(parse_instant, print_duration, text);
  check<Bytes>(parse_size, print_size_of, text);
  check<double>(parse_ratio, print_ratio, text);
  check<double>(parse_decimal, print_decimal, text);
  check<std::int64_t>(parse_tenths, print_tenths, text);
  check<PointsSpec>(parse_points, print_points_of, text);
  parse_whole(text);
  parse_switch(text);
  // Comparing words takes time, and long ones are never close to a known word.
  const std::string_view word = text.substr(0, 32);
  parse_word(word, {"adaptive", "rfc"});
  parse_address(text, 1);
  parse_path(text, 4096);
  parse_text(text);
  print_text(text);
  print_path_name(text);
  closest_word(word, {"window", "sensors", "contention"});
}
