#include "service/api/event_feed.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice {
namespace {

/// A list of ten thousand jobs takes some ten milliseconds with the governor locked, so the next
/// one is made only after this many times as long.
constexpr int kJobsPace = 200;

/// But at least this often.
constexpr Duration kJobsAtLeast = std::chrono::seconds(10);

/// How long a browser waits before it reconnects.
constexpr std::string_view kRetry = "retry: 1000\n\n";

}  // namespace

std::string event_text(std::string_view name, std::string_view data) {
  std::string text = "event: ";
  text.reserve(name.size() + data.size() + 24);
  text.append(name).append("\ndata: ").append(data).append("\n\n");
  return text;
}

std::string EventFeed::add(http::ConnectionId connection, http::Transport transport) {
  const auto listening = std::ranges::count_if(
      listeners_, [&](auto& each) { return each.second.transport == transport; });
  if (static_cast<std::size_t>(listening) >= kMostListeners) return {};
  refresh_jobs();
  listeners_[connection] = {transport, jobs_made_};
  return std::string(kRetry) + event_text("status", callbacks_.status()) + jobs_;
}

void EventFeed::tick() {
  if (listeners_.empty()) return;
  refresh_jobs();
  const std::string status = event_text("status", callbacks_.status());
  const std::string all = status + jobs_;
  std::vector<std::pair<http::ConnectionId, const std::string*>> due;
  for (auto& [connection, listener] : listeners_) {
    const bool has_jobs = std::exchange(listener.jobs_seen, jobs_made_) == jobs_made_;
    due.emplace_back(connection, has_jobs ? &status : &all);
  }
  // A push may find that its listener has gone, and remove it.
  for (const auto& [connection, text] : due) callbacks_.push(connection, *text);
}

void EventFeed::refresh_jobs() {
  const TimePoint now = callbacks_.now();
  if (jobs_made_ > 0 && now < jobs_due_) return;
  jobs_ = event_text("jobs", callbacks_.jobs());
  ++jobs_made_;
  jobs_due_ = now + std::min(kJobsPace * (callbacks_.now() - now), kJobsAtLeast);
}

}  // namespace sluice
