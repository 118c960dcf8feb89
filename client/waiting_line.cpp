#include "client/waiting_line.h"

#include <chrono>

namespace sluice {
namespace {

constexpr Duration kRepeat = std::chrono::minutes(1);

}  // namespace

bool WaitingLine::is_due(std::string_view reason, TimePoint now) {
  if (now - began_ < kUntoldWait) return false;
  if (told_ && reason == reason_ && now - *told_ < kRepeat) return false;
  told_ = now;
  reason_ = reason;
  return true;
}

}  // namespace sluice
