#include "capi/arguments.h"

#include <stdexcept>

#include "base/seconds.h"
#include "base/text.h"

namespace sluice::capi {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;

}  // namespace

void reject(const std::string& field, const std::string& message) {
  throw std::invalid_argument(field + ": " + message);
}

std::string text_of(const char* text, const std::string& field) {
  if (text == nullptr) return "";
  std::string whole = text;
  if (whole.size() > kMostTextBytes) reject(field, "is longer than 4096 bytes");
  if (printable(whole) != whole) reject(field, "is not UTF-8, or has a control character");
  return whole;
}

std::pair<std::string, std::string> pair_of(const char* text, const std::string& field,
                                            const std::string& form) {
  if (text == nullptr) reject(field, "is NULL");
  const std::string whole = text_of(text, field);
  const std::size_t at = whole.find('=');
  if (at == whole.npos || at == 0) reject(field, "\"" + whole + "\" is not " + form);
  return {whole.substr(0, at), whole.substr(at + 1)};
}

std::int64_t number_of(std::int64_t number, std::int64_t least, std::int64_t most,
                       const std::string& field) {
  if (number >= least && number <= most) return number;
  reject(field, std::to_string(number) + " is not from " + std::to_string(least) + " to " +
                    std::to_string(most));
}

bool truth_of(int number, const std::string& field) {
  if (number != 0 && number != 1) reject(field, std::to_string(number) + " is neither 0 nor 1");
  return number == 1;
}

Bytes bytes_of(std::int64_t bytes, const std::string& field) {
  return Bytes{static_cast<std::uint64_t>(number_of(bytes, 0, kMostBytes, field))};
}

Duration time_of(double seconds, const std::string& field) {
  // Written so that NaN is refused.
  if (!(seconds >= 0 && seconds <= 1e9)) reject(field, "is not a time from 0 to 1e9 seconds");
  return from_seconds(seconds);
}

}  // namespace sluice::capi
