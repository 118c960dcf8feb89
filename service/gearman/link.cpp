#include "service/gearman/link.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"

namespace sluice::gearman {
namespace {

/// A connection that lasted this long resets the count of failures.
constexpr Duration kProven = std::chrono::seconds(5);

/// The first delay before a reconnect, and the longest.
constexpr Duration kFirstDelay = std::chrono::milliseconds(100);
constexpr Duration kMostDelay = std::chrono::seconds(30);

/// In [0, 1). Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014: the mixing step of SplitMix64.
double part_of(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t mixed = seed + number * 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
  mixed ^= mixed >> 31U;
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(mixed >> 11U) * kUnit;
}

}  // namespace

Link::~Link() { stop(); }

void Link::listen() {
  if (stopped_) return;
  listener_ = std::make_shared<Connection>(context_, address_);
  listener_->handle_by({[this] { opened(); }, [this](Session::Event& event) { heard(event); },
                        [this](const std::string& reason) { lost(reason); }});
  listener_->open();
}

void Link::opened() {
  open_since_ = Clock::now();
  problem_.clear();
  listener_->tell([this](Session& session) { session.offer(functions_); });
  if (std::exchange(announced_, true)) return;
  handlers_.log(LogLevel::info, "gearman " + name() + ": connected");
}

void Link::offer(std::vector<std::string> functions) {
  functions_ = std::move(functions);
  if (!is_connected()) return;
  listener_->tell([this](Session& session) { session.offer(functions_); });
}

bool Link::grab() {
  bool grabbed = false;
  if (is_connected()) {
    listener_->tell([&](Session& session) { grabbed = session.grab(); });
  }
  return grabbed;
}

void Link::heard(Session::Event& event) {
  if (std::holds_alternative<Session::Woken>(event)) {
    handlers_.woken();
  } else if (std::holds_alternative<Session::NoJob>(event)) {
    handlers_.in_vain();
  } else if (auto* assigned = std::get_if<Session::Assigned>(&event)) {
    hand_over(std::move(assigned->job));
  } else if (const auto* complaint = std::get_if<Session::Complaint>(&event)) {
    handlers_.log(LogLevel::warning, "gearman " + name() + " says " + complaint->text);
  }
}

void Link::hand_over(Job job) {
  auto connection = std::exchange(listener_, nullptr);
  connection->handle_by({});
  listen();
  handlers_.assigned(std::move(job), std::move(connection));
}

void Link::lost(const std::string& reason) {
  const TimePoint now = Clock::now();
  if (open_since_ && now - *open_since_ >= kProven) failures_ = 0;
  open_since_.reset();
  problem_ = reason;
  listener_.reset();
  announced_ = false;
  const Duration delay = reconnect_delay(++failures_, seed_);
  handlers_.log(LogLevel::warning,
                "gearman " + name() + ": " + reason + "; next try in " + duration_text(delay));
  retry_.expires_after(delay);
  retry_.async_wait([this](boost::system::error_code error) {
    if (!error) listen();
  });
  handlers_.in_vain();
}

void Link::stop() {
  stopped_ = true;
  retry_.cancel();
  if (const auto listener = std::exchange(listener_, nullptr)) {
    listener->handle_by({});
    listener->close();
  }
}

Duration reconnect_delay(std::uint64_t failures, std::uint64_t seed) {
  // 2^9 x 100 ms exceeds the maximum.
  const std::uint64_t doublings =
      std::min<std::uint64_t>(failures - std::min<std::uint64_t>(failures, 1), 9);
  const Duration whole = std::min(kFirstDelay * (std::int64_t{1} << doublings), kMostDelay);
  const auto half = whole / 2;
  const double jitter = part_of(seed, failures) * static_cast<double>(half.count());
  return half + Duration{static_cast<Duration::rep>(jitter)};
}

}  // namespace sluice::gearman
