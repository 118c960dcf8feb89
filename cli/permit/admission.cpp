#include "cli/permit/admission.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>

#include "base/daemon_sentences.h"
#include "base/item_variables.h"
#include "base/readiness.h"
#include "cli/permit/daemon_jobserver.h"
#include "client/answer_fields.h"
#include "client/peer_trust.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// How often to check whether the reason has changed.
constexpr Duration kPollInterval = std::chrono::seconds(5);

/// How long a daemon may take to answer, beyond the time for which it was asked to hold the answer
/// back. While the connection is open the daemon is alive, but a host that swaps may stall it for
/// half a minute, and a second request from each client would only add to its load.
constexpr Duration kAnswer = std::chrono::seconds(60);

/// How often to check whether a daemon is back.
constexpr Duration kFirstAskPause = std::chrono::milliseconds(50);
constexpr Duration kLongestAskPause = std::chrono::seconds(1);
constexpr TimePoint kNever = TimePoint::max();

class Admitting {
 public:
  Admitting(Client& client, const SignalDescriptor& signals, const Waiting& waiting,
            json::object body)
      : client_(client),
        signals_(signals),
        waiting_(waiting),
        body_(std::move(body)),
        line_(Clock::now()) {}

  std::variant<AdmittedJob, Refused> admit() {
    Answer answer = submit();
    Duration patience = kUntoldWait;
    while (true) {
      // A restarted daemon does not keep jobservers.
      if (lost_ && waiting_.target != kJobserversTarget) answer = regain();
      if (auto* refused = std::get_if<Refused>(&answer)) return std::move(*refused);
      const json::object& job = std::get<json::object>(answer);
      if (job.contains("deduplicated")) return not_added(job);
      process_ = process_of(job);
      number_ = json::serialize(job.at("number"));
      if (const std::string permit = text_at(job, "permit"); !permit.empty()) permit_ = permit;
      const std::string state(job.at("state").as_string());
      if (state == "running") return AdmittedJob{number_, process_, terms(job)};
      if (state != "pending") return cancelled(job);
      const std::string reason = explain(job);
      if (waiting_.give_up && Clock::now() >= *waiting_.give_up) {
        return Refused{kTryLater, "not admitted in time: " + reason};
      }
      say(kind_of(job), reason);
      const Duration wait = bounded(patience);
      answer = ask("GET", "/v1/jobs/" + number_ + query(wait), wait, {});
      patience = kPollInterval;
    }
  }

 private:
  using Answer = std::variant<json::object, Refused>;

  Answer submit() {
    Answer answer = ask("POST", waiting_.target, Duration{0}, json::serialize(body_));
    if (!std::holds_alternative<Refused>(answer) || !no_process_) return answer;
    // A daemon in another pid namespace does not see this process; the connection has to do.
    body_.erase("pid");
    return ask("POST", waiting_.target, Duration{0}, json::serialize(body_));
  }

  /// The daemon is gone: waits for the next one and asks it for the job.
  Answer regain() {
    const bool waits =
        waiting_.no_daemon == NoDaemon::usual || waiting_.no_daemon == NoDaemon::wait;
    if (!waits) return gone(kUnusable);
    const TimePoint give_up = waiting_.give_up.value_or(kNever);
    const TimePoint until = std::min(Clock::now() + kRestartTime, give_up);
    Answer answer = gone(kUnusable);
    for (Duration pause = kFirstAskPause; lost_; pause = std::min(2 * pause, kLongestAskPause)) {
      rest(pause);
      say("daemon", "for the daemon to come back");
      lost_ = client_.reconnect().has_value();
      if (!lost_) answer = ask_again();
      if (Clock::now() >= until) break;
    }
    // The time limit of the caller expired first: the job was not admitted in time.
    if (lost_) return gone(until == give_up ? kTryLater : kUnusable);
    return answer;
  }

  static Refused gone(int status) {
    return {status, "the daemon is gone: the job was not admitted", true};
  }

  Answer ask_again() {
    const std::string number = process_ ? number_ : number_of_ours();
    if (lost_) return Refused{kTryLater, kNoAnswer};
    if (!number.empty()) {
      Answer answer = ask("GET", "/v1/jobs/" + number, Duration{0}, {});
      const auto* job = std::get_if<json::object>(&answer);
      // If the daemon kept no state, another job may have the number.
      const bool is_ours = job && (!process_ || process_of(*job) == process_);
      if (lost_ || (is_ours && !ended_with_connection(*job))) return answer;
    }
    return submit();
  }

  /// A daemon that was only slow has seen the connection that held the job close.
  static bool ended_with_connection(const json::object& job) {
    return text_at(job, "ended_by") == "connection";
  }

  /// The number of this process's job at the daemon, if the answer with it was lost; empty if there
  /// is none.
  std::string number_of_ours() {
    if (!sees_same_processes(client_.descriptor())) return "";
    const Answer answer = ask("GET", "/v1/jobs?limit=10000", Duration{0}, {});
    const auto* list = std::get_if<json::object>(&answer);
    const json::value* jobs = list ? list->if_contains("jobs") : nullptr;
    if (!jobs) return "";
    for (const json::value& job : jobs->as_array()) {
      if (process_of(job.as_object()) == getpid()) return json::serialize(job.at("number"));
    }
    return "";
  }

  void rest(Duration pause) {
    is_readable(signals_.descriptor(), pause);
    end_on_signal(signals_);
  }

  Duration bounded(Duration wait) const {
    if (!waiting_.give_up) return wait;
    return std::clamp(*waiting_.give_up - Clock::now(), Duration{0}, wait);
  }

  /// Asks for the answer to be held back until the job runs, at most this long.
  static std::string query(Duration wait) {
    return "?wait=" + std::to_string(wait / std::chrono::milliseconds(1)) + "ms";
  }

  /// Sends a request and waits for its answer; reports the wait after `expected` and gives up at
  /// `until`.
  std::variant<ClientReply, std::string> call(const char* method, const std::string& target,
                                              const std::string& body, TimePoint expected,
                                              TimePoint until) {
    if (auto problem = client_.send(method, target, body)) return *std::move(problem);
    while (true) {
      const TimePoint now = Clock::now();
      if (now >= until) return kNoAnswer;
      if (now >= expected) say("silence", "for the daemon to answer");
      const Duration left = (now < expected ? expected : until) - now;
      std::array<pollfd, 2> ready{
          {{client_.descriptor(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}}};
      poll(ready.data(), ready.size(), poll_timeout(left));
      end_on_signal(signals_);
      if (ready[0].revents == 0) continue;
      if (auto reply = client_.receive()) return *std::move(reply);
    }
  }

  /// `wait`: how long the daemon was asked to hold the answer back.
  Answer ask(const char* method, const std::string& target, Duration wait,
             const std::string& body) {
    const TimePoint expected = Clock::now() + wait + kUntoldWait;
    const auto result = call(method, target, body, expected, Clock::now() + wait + kAnswer);
    const auto* problem = std::get_if<std::string>(&result);
    lost_ = problem != nullptr;
    if (problem) return Refused{kTryLater, *problem + " before the job was admitted"};
    const auto& reply = std::get<ClientReply>(result);
    auto object = answer_object(reply);
    if (!object) return Refused{kUnusable, kNotFromSluice};
    if (reply.status < 300) return *std::move(object);
    const json::object& why = object->at("error").as_object();
    no_process_ = why.at("code") == "no_process";
    // The daemon is shutting down: ask the next one.
    lost_ = why.at("code") == "stopping";
    const bool later = reply.status == 429 || reply.status == 503;
    return Refused{later ? kTryLater : kUnusable, std::string(why.at("message").as_string())};
  }

  static std::string explain(const json::object& job) {
    const json::object* refusal = job.at("refusal").if_object();
    return refusal ? std::string(refusal->at("message").as_string()) : "it is about to start";
  }

  /// Identifies a reason, without its numbers, which change all the time.
  static std::string kind_of(const json::object& job) {
    const json::object* refusal = job.at("refusal").if_object();
    if (!refusal) return "";
    return json::serialize(json::array{refusal->at("code"), refusal->at("binding")});
  }

  JobTerms terms(const json::object& job) const {
    JobTerms terms = read_terms(job, permit_, std::filesystem::absolute(client_.place()));
    if (const auto line = about_ignored(terms.ignored); !line.empty()) {
      std::cerr << waiting_.name << ": " << line << std::endl;
    }
    return terms;
  }

  static Refused cancelled(const json::object& job) {
    if (job.at("refusal").is_null()) return {kTryLater, "the job was cancelled"};
    return {kUnusable, "the job was cancelled: " + explain(job)};
  }

  /// No success: the job that waits in its place has yet to run.
  static Refused not_added(const json::object& job) {
    return {kTryLater, "not run: job " + json::value_to<std::string>(job.at("id")) +
                           " already waits and will run instead"};
  }

  void say(const std::string& kind, const std::string& reason) {
    if (waiting_.telling == WaitTelling::silent || !line_.is_due(kind, Clock::now())) return;
    std::cerr << waiting_.name << ": waiting: " << reason << std::endl;
  }

  Client& client_;
  const SignalDescriptor& signals_;
  const Waiting& waiting_;
  json::object body_;
  std::string number_;
  std::optional<std::int64_t> process_;
  std::string permit_;  ///< Proves that the command works on this job's permit.
  WaitingLine line_;
  bool no_process_ = false;
  bool lost_ = false;  ///< The daemon called last is gone or shutting down.
};

}  // namespace

std::variant<AdmittedJob, Refused> wait_for_admission(Client& client,
                                                      const SignalDescriptor& signals,
                                                      const std::string& body,
                                                      const Waiting& waiting) {
  json::error_code error;
  json::value value = json::parse(body, error);
  if (error) return Refused{kUnusable, "the job cannot be submitted as JSON: " + error.message()};
  return Admitting(client, signals, waiting, std::move(value.as_object())).admit();
}

}  // namespace sluice::cli
