// The API without sockets, before a real governor: a sequence of requests separated by empty lines,
// each "METHOD TARGET", or "METHOD TARGET HOST" for one over TCP, and its body. "hang up"
// disconnects the client of the last request.
#include "service/api/routes.h"

#include <boost/json/parse.hpp>
#include <deque>
#include <memory>
#include <mutex>

#include "costmodel/history.h"
#include "support/fuzz.h"
#include "support/split.h"

namespace sluice::fuzz {
namespace {

GovernorOptions small_host() {
  GovernorOptions options;
  options.window.law = Law::rfc;
  options.window.initial = options.window.minimum = options.window.maximum = Points{100};
  options.window.threshold = Points{100};
  options.window.interval = std::chrono::hours(1);
  options.max_pending = 50;
  QueueingOptions& queueing = options.queueing;
  queueing.queues["nightly"].resources = {"db"};
  queueing.resources["db"].total = 4;
  queueing.resources["ports"].kind = ResourceOptions::Kind::discrete;
  queueing.resources["solo"].kind = ResourceOptions::Kind::highlander;
  queueing.keys["deploy"].queue = "nightly";
  queueing.keys["deploy"].locks.emplace()["instance"] = "exclusive:{vm}";
  RuleOptions limit;
  limit.key = "lint-*";
  limit.action = RuleOptions::Action::rate_limit;
  limit.n = 1;
  queueing.rules.push_back(limit);
  return options;
}

/// One daemon for all inputs, since starting its threads would take longer than an input. It is
/// cleaned up after each input.
class Desk {
 public:
  Desk()
      : governor_(small_host(), {},
                  [](const JobRequest& job) { return Points{5 + 5 * job.inventory.value_or(1)}; }),
        jobserver_(governor_,
                   std::make_shared<History>(CostOptions{}, ReservationOptions{}, nullptr),
                   [](const std::string&) {}),
        routes_(governor_, callbacks()) {
    Access access;
    access.users = {kUser};
    routes_.set_access(std::move(access));
  }

  void take(std::string_view line, std::string_view body) {
    if (line == "hang up") {
      return routes_.jobs().connection_closed(http::ConnectionId{connections_});
    }
    ask(line, body);
    pump();
    routes_.jobs().tick(now_);
  }

  void clear() {
    routes_.jobs().stop();
    for (; closed_ < connections_; ++closed_) {
      routes_.jobs().connection_closed(http::ConnectionId{closed_ + 1});
    }
    governor_.resume();
    for (const char* queue : {"default", "nightly"}) governor_.resume_queue(queue);
    pump();
  }

 private:
  static constexpr uid_t kUser = 1000;  ///< User of every fourth request; the others are root's.

  void ask(std::string_view line, std::string_view body) {
    http::Request request;
    request.method = cut(line, " ");
    request.target = cut(line, " ");
    request.host = line;
    request.body = body;
    request.connection = http::ConnectionId{++connections_};
    request.peer.transport = line.empty() ? http::Transport::unix_socket : http::Transport::tcp;
    request.peer.user = connections_ % 4 == 0 ? kUser : 0;
    request.peer.pid = static_cast<pid_t>(connections_);
    now_ += std::chrono::seconds(1);
    if (const auto response = routes_.handle(request, {now_, {}})) check(*response);
  }

  static void check(const http::Response& response) {
    require(response.status >= 200 && response.status < 600, "a status is one of HTTP's");
    if (response.content_type != http::kJson) return;
    boost::json::error_code error;
    const auto parsed = boost::json::parse({response.body.data(), response.body.size()}, error);
    require(!error && parsed.is_object(), "an answer is a JSON object");
  }

  Routes::Callbacks callbacks() {
    Routes::Callbacks callbacks;
    callbacks.jobs.hand_over = [this](JobId job, Admission admission) {
      const std::lock_guard lock(mutex_);
      handed_over_.emplace_back(job, std::move(admission));
    };
    callbacks.jobs.unwatchable = [](pid_t process) -> std::optional<std::string> {
      if (process % 8 != 1) return std::nullopt;
      return "there is no process of this number";
    };
    callbacks.jobs.watch = [](JobId, pid_t process) -> std::optional<std::string> {
      if (process % 2 == 0) return std::nullopt;
      return "there is no such process";
    };
    callbacks.jobs.unwatch = [](JobId) {};
    callbacks.users_of = [](pid_t process) -> std::optional<ProcessUsers> {
      if (process % 3 == 0) return std::nullopt;
      const uid_t user = process % 4 == 0 ? kUser : 0;
      return ProcessUsers{user, user};
    };
    callbacks.reply = [](http::ConnectionId, const http::Response& response) { check(response); };
    callbacks.reload = [] { return std::vector<ConfigError>{{"f", 1, 1, "must be a list"}}; };
    callbacks.daemon_facts = [] {
      DaemonFacts facts;
      facts.host_names = {"builder7"};
      return facts;
    };
    callbacks.metrics = [](const Status&, const std::vector<ClientRequests>&) { return "up 1\n"; };
    callbacks.operated = [](std::string_view) {};
    callbacks.is_jqm_compatible = [](std::string_view manager) { return manager == "ports"; };
    callbacks.jobserver = &jobserver_;
    callbacks.jobserver_folder = "/nonexistent";  // No input may create a file.
    return callbacks;
  }

  void pump() {
    std::deque<std::pair<JobId, Admission>> taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(handed_over_);
    }
    for (auto& [job, admission] : taken) routes_.jobs().admitted(job, std::move(admission), now_);
  }

  std::mutex mutex_;
  std::deque<std::pair<JobId, Admission>> handed_over_;
  TimePoint now_ = Clock::now();
  std::uint64_t connections_ = 0, closed_ = 0;
  Governor governor_;
  jobserver::Server jobserver_;
  Routes routes_;
};

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  static Desk desk;
  while (!text.empty()) {
    std::string_view body = cut(text, "\n\n");
    const std::string_view line = cut(body, "\n");
    desk.take(line, body);
  }
  desk.clear();
}
