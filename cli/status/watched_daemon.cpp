#include "cli/status/watched_daemon.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <utility>

#include "base/daemon_sentences.h"
#include "base/seconds.h"
#include "base/socket_places.h"
#include "base/value_or_throw.h"
#include "cli/status/status_view.h"
#include "client/answer.h"
#include "client/user_daemons.h"

namespace sluice::cli {
namespace {

/// Maximum age of the fetched timeline, in seconds; the daemon samples at the same interval.
constexpr double kTimelineEvery = 5;

/// Seconds between two looks for further daemons, each of which is connected to for a moment.
constexpr double kFurtherEvery = 5;

/// How long the daemon may take to answer; it may be stopped, or the machine too busy.
constexpr Duration kPatience = std::chrono::seconds(10);

/// The daemon took the request and does not answer.
class NoAnswer : public std::runtime_error {
 public:
  NoAnswer() : std::runtime_error(kNoAnswer) {}
};

double seconds_now() { return to_seconds(Clock::now().time_since_epoch()); }

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%H:%M:%S", &parts)};
}

}  // namespace

WatchedDaemon::WatchedDaemon(const std::string& socket, InputMonitor& input)
    : input_(input), is_named_(is_socket_named(socket)) {
  client_.emplace(value_or_throw(Client::connect(socket)));
  watched_.place = client_->place();
}

void WatchedDaemon::tell_time() {
  watched_.clock = time_of_day();
  watched_.now = seconds_now();
}

void WatchedDaemon::poll(std::size_t lines, std::function<void()> meanwhile) {
  meanwhile_ = std::move(meanwhile);
  tell_time();
  look_for_further();
  watched_.asked = watched_.now;
  try_twice([&] {
    const std::string limit = "&limit=" + std::to_string(lines);
    const std::string status = ask("/v1/status");
    const std::string running = ask("/v1/jobs?state=running" + limit);
    const std::string pending = ask("/v1/jobs?state=pending" + limit);
    watched_.view = view_of(status, {running, pending});
    remember();
  });
  watched_.asked.reset();
  meanwhile_ = {};
}

std::optional<std::string> WatchedDaemon::change() {
  std::optional<std::string> object;
  tell_time();
  look_for_further();
  try_twice([&] {
    const std::string status = ask("/v1/status");
    object = changes_.observe(status, ask("/v1/jobs"), further_);
  });
  if (watched_.lost && !input_.ended) object = changes_.lost(*watched_.lost);
  return object;
}

/// Tries twice, because a daemon closes connections that are idle for minutes.
void WatchedDaemon::try_twice(const std::function<void()>& questions) {
  const std::string since = time_of_day();
  std::string problem;
  for (const bool reconnects : {watched_.lost.has_value(), true}) {
    try {
      if (reconnects) timeline_at_.reset();
      if (const auto refused = reconnects ? client_->reconnect() : std::nullopt) {
        throw std::runtime_error(*refused);
      }
      questions();
      watched_.lost.reset();
      return;
    } catch (const NoAnswer& silence) {
      return lose(since, silence.what());  // An immediate retry would not be answered either.
    } catch (const std::runtime_error& failed) {
      problem = failed.what();
    }
  }
  lose(since, problem);
}

void WatchedDaemon::lose(const std::string& since, const std::string& why) {
  if (watched_.lost || input_.ended) return;
  watched_.lost = "not connected since " + since + ": " + why;
}

std::string WatchedDaemon::ask(const std::string& target) {
  if (auto answer = ask_if_there(target)) return *std::move(answer);
  throw std::runtime_error("the daemon has no " + target);
}

std::optional<std::string> WatchedDaemon::ask_if_there(const std::string& target) {
  if (const auto problem = client_->send("GET", target)) throw std::runtime_error(*problem);
  while (true) {
    await_answer();
    auto answer = client_->receive();
    if (!answer) continue;
    ClientReply reply = value_or_throw(*std::move(answer));
    if (reply.status == 404) return std::nullopt;
    if (reply.status == 200) return std::move(reply.body);
    throw std::runtime_error(failure_sentence(reply, target));
  }
}

void WatchedDaemon::await_answer() {
  constexpr Duration kBeat = std::chrono::seconds(1);
  const TimePoint until = Clock::now() + kPatience;
  while (!input_.wait(client_->descriptor(), std::min(until, Clock::now() + kBeat))) {
    if (input_.ended || Clock::now() >= until) throw NoAnswer();
    tell_time();
    if (meanwhile_) meanwhile_();
  }
}

void WatchedDaemon::look_for_further() {
  if (is_named_ || (further_at_ && watched_.now - *further_at_ < kFurtherEvery)) return;
  further_at_ = watched_.now;
  further_.emplace();
  watched_.further.clear();
  for (const FurtherDaemon& each : further_daemons_that_serve()) {
    further_->push_back(each.socket);
    watched_.further.push_back(about(each));
  }
}

void WatchedDaemon::remember() {
  if (!timeline_at_ || watched_.now - *timeline_at_ >= kTimelineEvery) {
    timeline_at_ = watched_.now;
    // A daemon from before the timeline's new name has the old one, and one from before both
    // neither: the samples since then have to do.
    auto timeline = ask_if_there("/v1/timeline");
    if (!timeline) timeline = ask_if_there("/v1/history");
    if (timeline) watched_.track = track_of(*timeline, watched_.now);
  }
  watched_.track.add(sample_of(watched_.view, watched_.now));
}

}  // namespace sluice::cli
