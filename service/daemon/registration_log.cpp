#include "service/daemon/registration_log.h"

#include <utility>

#include "base/text.h"

namespace sluice {
namespace {

std::string line_of(bool accepting, const std::string& reason) {
  return accepting ? "registered: takes work" : "deregistered: " + reason;
}

}  // namespace

std::optional<std::string> RegistrationLog::change(bool accepting, const std::string& reason,
                                                   TimePoint now) {
  accepting_ = accepting;
  const bool is_start = std::exchange(is_new_, false) && accepting;
  if (!began_) {
    // Accepting work at the start is not a flap: report the next change at once.
    if (!is_start) began_ = now;
    return line_of(accepting, reason);
  }
  ++(accepting ? registered_ : deregistered_);
  if (!accepting) ++reasons_[reason];
  return std::nullopt;
}

std::optional<std::string> RegistrationLog::due(TimePoint now) {
  if (!began_ || now - *began_ < kSpan) return std::nullopt;
  auto line = rest();
  // Continued flapping is reported a span later; after a calm span, the next change at once.
  began_ = line ? std::optional(now) : std::nullopt;
  return line;
}

std::optional<std::string> RegistrationLog::rest() {
  if (registered_ + deregistered_ == 0) return std::nullopt;
  std::string why;
  for (const auto& [reason, count] : reasons_) {
    why += (why.empty() ? " (" : "; ") + reason + ": " + count_text(count, "time");
  }
  std::string line = "registration changed again: deregistered " +
                     count_text(deregistered_, "time") + (why.empty() ? "" : why + ")") +
                     ", registered " + count_text(registered_, "time") + "; now it takes " +
                     (accepting_ ? "work" : "none");
  registered_ = deregistered_ = 0;
  reasons_.clear();
  return line;
}

}  // namespace sluice
