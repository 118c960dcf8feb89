#include "cli/admission.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <iostream>

#include "service/command_process.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// How long to wait in silence, and how often to look whether the reason changed.
constexpr Duration kSilence = std::chrono::seconds(1);
constexpr Duration kLook = std::chrono::seconds(30);

/// How long a daemon may take to answer, besides the time it was told to wait.
constexpr Duration kAnswer = std::chrono::seconds(10);

/// Where an answer is not held back until the job runs.
constexpr std::string_view kJobservers = "/v1/jobservers";

/// Ctrl-C and its like while the job waits: gone, and the daemon cancels what this connection held.
void heed(const SignalDescriptor& signals) {
  while (const auto signal = signals.next()) {
    if (signal->number == SIGTSTP) raise(SIGSTOP);
    if (signal->number == SIGTSTP || signal->number == SIGCONT || signal->number == SIGCHLD) {
      continue;
    }
    die_by(signal->number);
  }
}

/// Asks, and waits until `until` for the answer.
std::variant<ClientReply, std::string> call(Client& client, const SignalDescriptor& signals,
                                            const char* method, const std::string& target,
                                            const std::string& body, TimePoint until) {
  if (auto problem = client.send(method, target, body)) return *std::move(problem);
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return "the daemon does not answer";
    std::array<pollfd, 2> ready{
        {{client.descriptor(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), static_cast<int>(left));
    heed(signals);
    if (ready[0].revents == 0) continue;
    if (auto reply = client.receive()) return *std::move(reply);
  }
}

class Admitting {
 public:
  Admitting(Client& client, const SignalDescriptor& signals, const Waiting& waiting)
      : client_(client), signals_(signals), waiting_(waiting) {}

  std::variant<AdmittedJob, Refused> admit(json::object body) {
    auto answer = ask("POST", waiting_.target, kSilence, json::serialize(body));
    if (std::holds_alternative<Refused>(answer) && no_process_) {
      // A daemon in another process namespace does not see us; the connection has to do.
      body.erase("pid");
      answer = ask("POST", waiting_.target, kSilence, json::serialize(body));
    }
    while (true) {
      if (auto* refused = std::get_if<Refused>(&answer)) return std::move(*refused);
      const json::object& job = std::get<json::object>(answer);
      if (job.contains("deduplicated")) return not_added(job);
      const std::string state(job.at("state").as_string());
      if (state == "running") return admitted(job);
      if (state != "pending") return cancelled(job);
      const std::string reason = explain(job);
      if (waiting_.give_up && Clock::now() >= *waiting_.give_up) {
        return Refused{kTryLater, "not admitted in time: " + reason};
      }
      say(reason);
      answer = ask("GET", "/v1/jobs/" + json::serialize(job.at("number")), kLook, {});
    }
  }

 private:
  using Answer = std::variant<json::object, Refused>;

  Answer ask(const char* method, const std::string& target, Duration wait,
             const std::string& body) {
    if (waiting_.give_up) {
      wait = std::clamp(*waiting_.give_up - Clock::now(), Duration{0}, wait);
    }
    const auto milli = std::chrono::duration_cast<std::chrono::milliseconds>(wait);
    const bool waits = target != kJobservers;
    const std::string query = "?wait=" + std::to_string(milli.count()) + "ms";
    const auto result = call(client_, signals_, method, target + (waits ? query : ""), body,
                             Clock::now() + wait + kAnswer);
    if (const auto* problem = std::get_if<std::string>(&result)) {
      return Refused{kTryLater, *problem + " before the job was admitted"};
    }
    const auto& reply = std::get<ClientReply>(result);
    json::error_code error;
    json::value value = json::parse(reply.body, error);
    if (error || !value.is_object()) {
      return Refused{kUnusable, "the answer is not from a sluice daemon"};
    }
    json::object& object = value.get_object();
    if (reply.status < 300) return std::move(object);
    const json::object& why = object.at("error").as_object();
    no_process_ = why.at("code") == "no_process";
    const bool later = reply.status == 429 || reply.status == 503;
    return Refused{later ? kTryLater : kUnusable, std::string(why.at("message").as_string())};
  }

  static std::string explain(const json::object& job) {
    const json::object* refusal = job.at("refusal").if_object();
    return refusal ? std::string(refusal->at("message").as_string()) : "it is about to start";
  }

  static AdmittedJob admitted(const json::object& job) {
    return {json::serialize(job.at("number")), terms_of(job)};
  }

  static Refused cancelled(const json::object& job) {
    if (job.at("refusal").is_null()) return {kTryLater, "the job was cancelled"};
    return {kUnusable, "the job was cancelled: " + explain(job)};
  }

  /// Not a success: whoever waits in its place has yet to run.
  static Refused not_added(const json::object& job) {
    return {kTryLater, "not run: job " + json::value_to<std::string>(job.at("id")) +
                           " waits already and runs in its place"};
  }

  void say(const std::string& reason) {
    if (!waiting_.says_why || reason == said_) return;
    said_ = reason;
    std::cerr << waiting_.name << ": waiting: " << reason << std::endl;
  }

  Client& client_;
  const SignalDescriptor& signals_;
  const Waiting& waiting_;
  std::string said_;
  bool no_process_ = false;
};

}  // namespace

std::variant<AdmittedJob, Refused> wait_for_admission(Client& client,
                                                      const SignalDescriptor& signals,
                                                      const std::string& body,
                                                      const Waiting& waiting) {
  return Admitting(client, signals, waiting).admit(json::parse(body).as_object());
}

}  // namespace sluice::cli
