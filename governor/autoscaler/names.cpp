#include "governor/autoscaler/names.h"

#include <algorithm>
#include <charconv>

namespace sluice {
namespace {

constexpr std::size_t kLeastDigits = 3;
constexpr std::size_t kMostDigits = 18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The leading run of digits, or of other characters.
std::string_view first_run(std::string_view text) {
  const bool digits = is_digit(text.front());
  const auto end =
      std::find_if(text.begin(), text.end(), [&](char c) { return is_digit(c) != digits; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view without_zeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == digits.npos ? digits.substr(digits.size()) : digits.substr(first);
}

/// Less than, equal to or greater than 0; the numbers may have any length.
int compare_numbers(std::string_view a, std::string_view b) {
  const std::string_view x = without_zeros(a), y = without_zeros(b);
  if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
  return x.compare(y);
}

}  // namespace

std::optional<Numbered> numbered(std::string_view id) {
  const std::size_t last = id.find_last_not_of("0123456789");
  const std::size_t digits = last == id.npos ? 0 : last + 1;
  if (digits == id.size() || id.size() - digits > kMostDigits) return std::nullopt;
  Numbered found{id.substr(0, digits)};
  std::from_chars(id.data() + digits, id.data() + id.size(), found.number);
  return found;
}

bool is_before_in_natural_order(std::string_view a, std::string_view b) {
  std::string_view x = a, y = b;
  while (!x.empty() && !y.empty()) {
    const std::string_view left = first_run(x), right = first_run(y);
    const bool numbers = is_digit(left.front()) && is_digit(right.front());
    const int order = numbers ? compare_numbers(left, right) : left.compare(right);
    if (order != 0) return order < 0;
    x.remove_prefix(left.size());
    y.remove_prefix(right.size());
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

std::vector<std::string> name_executors(const std::vector<Executor>& there, int count) {
  Numbered highest;
  for (const Executor& executor : there) {
    const auto found = numbered(executor.id);
    if (found && found->number >= highest.number) highest = *found;
  }
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    std::string digits = std::to_string(highest.number + static_cast<std::uint64_t>(i) + 1);
    if (digits.size() < kLeastDigits) digits.insert(0, kLeastDigits - digits.size(), '0');
    names.push_back(std::string(highest.stem) + digits);
  }
  return names;
}

}  // namespace sluice
