#include "cli/batch/daemon.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <filesystem>
#include <random>
#include <utility>

#include "base/daemon_sentences.h"
#include "base/readiness.h"
#include "base/text.h"
#include "cli/permit/outer_permit.h"
#include "cli/status/status_view.h"
#include "client/answer_fields.h"
#include "client/client.h"
#include "service/protocol/started_body.h"
#include "service/protocol/usage_body.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// Jobs waiting at the daemon at once: the order of the rest may still change here, and other
/// clients wait there too.
constexpr std::size_t kMostAtDaemon = 16;

/// How long a daemon holds its answer back while a job waits. The first answer has the number by
/// which `why_waiting` finds the job; each has the reason why it waits, which may change.
constexpr const char* kFirstWait = "?wait=100ms";
constexpr const char* kWait = "?wait=5s";

constexpr Duration kPollInterval =
    std::chrono::milliseconds(500);                      ///< Between polls of its status.
constexpr Duration kAskAgain = std::chrono::seconds(1);  ///< After it had no space for a job.
constexpr Duration kFarewell = std::chrono::milliseconds(1000);  ///< For its last answers.

/// Tells the batches of a host apart.
std::string new_batch_id() {
  std::random_device entropy;
  std::array<unsigned char, 8> bytes{};
  for (unsigned char& each : bytes) each = static_cast<unsigned char>(entropy());
  return hex_digits(bytes);
}

/// The body of a job's submit to a daemon. Leaves out the batch's own job ids: other batches may
/// use the same.
json::object submit_body_of(const JobRequest& job) {
  json::object body{{"hold", "connection"}, {"measured", true}};
  if (!job.key.empty()) body["key"] = job.key;
  if (!job.variant.empty()) body["variant"] = job.variant;
  if (!job.program.empty()) body["program"] = job.program;
  if (!job.queue.empty()) body["queue"] = job.queue;
  if (job.priority) body["priority"] = *job.priority;
  if (job.inventory) body["inventory"] = *job.inventory;
  if (job.cost) body["cost"] = job.cost->value;
  if (job.memory) body["memory"] = job.memory->value;
  if (job.nice) body["nice"] = *job.nice;
  if (job.global_lock) body["global_lock"] = true;
  if (!job.reasons.empty()) body["reasons"] = json::value_from(job.reasons);
  if (!job.params.empty()) body["params"] = json::value_from(job.params);
  if (job.locks) {
    json::object& locks = body["locks"].emplace_object();
    for (const LevelLocks& level : *job.locks) locks[level.level] = to_text(level);
  }
  if (!job.resources.empty()) {
    json::object& resources = body["resources"].emplace_object();
    for (const ResourceDemand& demand : job.resources) resources[demand.manager] = demand.amount;
  }
  return body;
}

/// Why a job's wait ended without a run.
std::string reason_of(const json::object& job) {
  const json::object* refusal = job.at("refusal").if_object();
  return refusal ? json::value_to<std::string>(refusal->at("message")) : "it was cancelled";
}

/// Why a job waits, by an answer about it; nullopt if that does not say.
std::optional<AdmissionBackend::Wait> wait_of(const json::object& job) {
  const json::object* refusal = job.at("refusal").if_object();
  if (!refusal) return std::nullopt;
  return AdmissionBackend::Wait{text_at(*refusal, "code") + ' ' + text_at(*refusal, "binding"),
                                text_at(*refusal, "message")};
}

class DaemonBackend : public AdmissionBackend {
 public:
  DaemonBackend(std::string socket, Client status, std::optional<std::size_t> most_running)
      : socket_(std::move(socket)), most_running_(most_running) {
    watcher_.emplace(std::move(status));
  }
  ~DaemonBackend() override { await_clients(); }

  std::string check(const JobRequest&) const override { return ""; }

  void submit(std::size_t seq, const JobRequest& job) override {
    auto reached = Client::reach(socket_);
    if (const auto* why = std::get_if<NotReached>(&reached)) return give_back(seq, *why);
    auto& line = lines_.emplace_back(std::make_unique<Line>(std::get<Client>(std::move(reached))));
    line->seq = seq;
    line->body = submit_body_of(job);
    line->body["batch"] = id_;
    line->body["batch_waiting"] = kMostAtDaemon;
    if (most_running_) line->body["batch_unfinished"] = *most_running_;
    add_parent(line->body);
    post(*line);
  }

  Events poll_events() override {
    const TimePoint now = Clock::now();
    for (const auto& line : lines_) listen(*line, now);
    std::erase_if(lines_, [](const auto& line) { return line->state == State::over; });
    watch(now);
    return std::exchange(events_, {});
  }

  std::vector<int> descriptors() const override {
    std::vector<int> all;
    for (const auto& line : lines_) all.push_back(line->client.descriptor());
    if (watcher_) all.push_back(watcher_->descriptor());
    return all;
  }

  void started(std::size_t seq, pid_t leader) override {
    Line* line = running(seq);
    if (!line || line->asked) return;
    ask(*line, "POST", "/v1/jobs/" + line->number + "/started", started_body(leader));
  }

  void measured(std::size_t seq, const JobUsage& usage) override {
    Line* line = running(seq);
    if (!line || line->asked) return;
    ask(*line, "POST", "/v1/jobs/" + line->number + "/heartbeat", usage_body(usage));
  }

  void ended(std::size_t seq, Outcome outcome, const std::optional<JobUsage>& usage) override {
    Line* line = running(seq);
    if (!line) return;
    line->state = State::ending;
    line->farewell = "/v1/jobs/" + line->number + "?outcome=" + std::string(to_string(outcome));
    line->last_usage = usage ? usage_body(*usage) : "";
    if (!line->asked) say_end(*line);
  }

  void withdraw() override {
    // The daemon cancels the jobs that a closed connection held.
    std::erase_if(lines_, [](const auto& line) { return line->state == State::waiting; });
    events_.unasked.clear();
  }

  std::size_t most_waiting() const override {
    if (!most_running_) return kMostAtDaemon;
    const auto run = static_cast<std::size_t>(
        std::ranges::count(lines_, State::running, [](const auto& line) { return line->state; }));
    return std::min(kMostAtDaemon, *most_running_ - std::min(run, *most_running_));
  }

  std::optional<Status> status() const override { return std::nullopt; }

  std::optional<Wait> why_waiting() const override {
    if (!view_) return std::nullopt;
    for (const HostView::JobRow& row : view_->pending) {
      if (!row.reason.empty() && is_waiting(row.number)) return Wait{row.kind, row.reason};
    }
    return view_->pending.size() < view_->all_pending ? answered_wait() : std::nullopt;
  }

  std::optional<HostView> view() const override { return view_; }

 private:
  enum class State { waiting, running, ending, over };

  struct Line {
    explicit Line(Client&& connected) : client(std::move(connected)) {}
    Client client;
    std::size_t seq = 0;
    State state = State::waiting;
    bool asked = false;  ///< An answer is outstanding.
    std::optional<TimePoint> again;
    json::object body;
    std::string number;
    std::optional<Wait> wait;          ///< By the last answer.
    std::string permit;                ///< Passed to its command.
    std::string farewell, last_usage;  ///< To send after the last answer has arrived.
    bool said_end = false;
  };

  Line* running(std::size_t seq) {
    for (const auto& line : lines_) {
      if (line->seq == seq && line->state == State::running) return line.get();
    }
    return nullptr;
  }

  bool is_waiting(const std::string& number) const {
    return std::ranges::any_of(lines_, [&](const auto& line) {
      return line->state == State::waiting && line->number == number;
    });
  }

  /// Why the first of our jobs that wait does, by its last answer: a daemon lists no more than the
  /// first thousand of all that wait.
  std::optional<Wait> answered_wait() const {
    const auto first = std::ranges::find_if(
        lines_, [](const auto& line) { return line->state == State::waiting && line->wait; });
    return first == lines_.end() ? std::nullopt : (*first)->wait;
  }

  void lose(const std::string& why) {
    if (!std::exchange(lost_, true)) events_.lost = why;
  }

  void give_back(std::size_t seq, const NotReached& why) {
    if (why.lack == 0) return lose(why.with_further_daemons(socket_));
    events_.unasked.push_back({seq, why.lack, why.message});
  }

  void ask(Line& line, const char* method, const std::string& target, const std::string& body) {
    line.asked = true;
    if (line.client.send(method, target, body)) broken(line);
  }

  void post(Line& line) {
    ask(line, "POST", std::string("/v1/jobs") + kFirstWait, json::serialize(line.body));
  }
  void say_end(Line& line) {
    line.said_end = true;
    ask(line, "DELETE", line.farewell, line.last_usage);
  }

  /// A running job continues, but its end cannot be reported any more.
  void broken(Line& line) {
    line.state = State::over;
    lose("the daemon is gone: running jobs finish, the rest will not start");
  }

  void listen(Line& line, TimePoint now) {
    if (line.again && now >= *line.again) {
      line.again.reset();
      post(line);
    }
    if (line.state == State::over || !is_readable(line.client.descriptor())) return;
    auto answer = line.client.receive();
    if (!answer) return;
    const bool expected = std::exchange(line.asked, false);
    const auto* reply = std::get_if<ClientReply>(&*answer);
    if (!reply || !expected) return broken(line);
    if (line.state == State::waiting) {
      hear(line, *reply, now);
    } else if (line.state == State::ending) {
      finish(line);
    }
  }

  /// The answer was to a heartbeat, or to the report of the end.
  void finish(Line& line) {
    if (line.said_end) {
      line.state = State::over;
      return;
    }
    say_end(line);
  }

  void hear(Line& line, const ClientReply& reply, TimePoint now) {
    const auto object = answer_object(reply);
    if (!object) return broken(line);
    if (reply.status >= 300) return hear_refusal(line, reply, now);
    if (object->contains("deduplicated")) {
      return refuse(line, kAlikeRunsInstead);
    }
    const std::string state = json::value_to<std::string>(object->at("state"));
    line.number = json::serialize(object->at("number"));
    if (const std::string permit = text_at(*object, "permit"); !permit.empty())
      line.permit = permit;
    if (state == "running") return admit(line, *object);
    if (state == "pending") {
      line.wait = wait_of(*object);
      return ask(line, "GET", "/v1/jobs/" + line.number + kWait, "");
    }
    // A stopping daemon cancels the jobs that still wait.
    if (text_at(*object, "ended_by") == "stop") return stopping(line, "it is stopping");
    refuse(line, reason_of(*object));
  }

  void stopping(Line& line, const std::string& why) {
    line.state = State::over;
    lose("the daemon takes no work (" + why + "): running jobs finish, the rest will not start");
  }

  void hear_refusal(Line& line, const ClientReply& reply, TimePoint now) {
    const auto error = read_error(reply);
    const std::string why = error ? error->message : "the daemon gives no reason";
    if (reply.status == 429) {
      line.again = now + kAskAgain;
    } else if (reply.status == 503) {
      stopping(line, why);
    } else {
      refuse(line, why);
    }
  }

  void refuse(Line& line, const std::string& why) {
    line.state = State::over;
    events_.refused.push_back({line.seq, why});
  }

  void admit(Line& line, const json::object& job) {
    line.state = State::running;
    const auto socket = std::filesystem::absolute(line.client.place());
    events_.admitted.push_back(
        {line.seq, job.at("cost").to_number<std::int64_t>(), read_terms(job, line.permit, socket)});
  }

  void request(const char* target) {
    watching_ = !watcher_->send("GET", target);
    if (!watching_) watcher_.reset();
  }

  /// Polls the daemon for the live view: its status, then its waiting jobs.
  void watch(TimePoint now) {
    if (!watcher_) return;
    if (watching_ && is_readable(watcher_->descriptor())) {
      const auto answer = watcher_->receive();
      if (!answer) return;
      watching_ = false;
      const auto* reply = std::get_if<ClientReply>(&*answer);
      if (!reply) return watcher_.reset();
      if (status_.empty()) {
        status_ = reply->body;
        return request("/v1/jobs?state=pending");
      }
      view_ = view_of(std::exchange(status_, ""), reply->body);
    }
    if (watching_ || now - polled_ < kPollInterval) return;
    polled_ = now;
    request("/v1/status");
  }

  /// Reports every end to the daemon before the connections close.
  void await_clients() {
    const TimePoint until = Clock::now() + kFarewell;
    std::erase_if(lines_, [](const auto& line) { return line->state != State::ending; });
    while (!lines_.empty() && Clock::now() < until) {
      std::vector<pollfd> polled;
      for (const auto& line : lines_) polled.push_back({line->client.descriptor(), POLLIN, 0});
      ::poll(polled.data(), polled.size(), 100);
      for (const auto& line : lines_) listen(*line, Clock::now());
      std::erase_if(lines_, [](const auto& line) { return line->state == State::over; });
    }
  }

  std::string socket_;
  const std::string id_ = new_batch_id();
  std::optional<std::size_t> most_running_;
  std::vector<std::unique_ptr<Line>> lines_;
  Events events_;
  bool lost_ = false;
  std::optional<Client> watcher_;
  bool watching_ = false;
  std::string status_;  ///< Of a poll that is half answered.
  TimePoint polled_;
  std::optional<HostView> view_;
};

}  // namespace

std::variant<std::unique_ptr<AdmissionBackend>, std::string> daemon_backend(
    const std::string& socket, std::optional<std::size_t> most_running) {
  auto connected = Client::connect(socket);
  if (auto* problem = std::get_if<std::string>(&connected)) return std::move(*problem);
  return std::make_unique<DaemonBackend>(socket, std::get<Client>(std::move(connected)),
                                         most_running);
}

}  // namespace sluice::cli
