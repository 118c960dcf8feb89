#include "recognition/permit_requests.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <variant>

#include "base/daemon_sentences.h"
#include "base/parse.h"
#include "base/permit_variables.h"
#include "base/process_table.h"
#include "base/socket_places.h"
#include "base/target.h"
#include "client/peer_trust.h"
#include "recognition/configured_programs.h"

namespace sluice {
namespace {

using News = PermitNews::What;

constexpr Duration kSilent = std::chrono::seconds(2);
constexpr Duration kStarvesAtMost = std::chrono::seconds(8);
constexpr Duration kReconnectInterval = std::chrono::milliseconds(500);
/// Connections for those that wait, of which there may be more: they take turns.
constexpr std::uint64_t kMostWaiters = 200;
/// Of the descriptors that this process may have: it needs more to follow the build.
constexpr std::uint64_t kShareOfDescriptors = 4;

/// As often is asked why something waits; a grant is told at once.
constexpr const char* kWait = "?wait=5s";
/// While others want the connection.
constexpr const char* kWaitInTurns = "?wait=500ms";
constexpr Duration kWaits = std::chrono::seconds(5);

std::size_t most_waiters() {
  return std::min(kMostWaiters, descriptor_limit() / kShareOfDescriptors);
}

/// What the daemon keeps for a job, as its command would be told.
std::optional<Bytes> memory_in(const JobAnswer& answer) {
  const auto found = answer.environment.find(kPermitMemory);
  if (found == answer.environment.end()) return std::nullopt;
  const auto bytes = parse_u64(found->second);
  return bytes ? std::optional(Bytes{*bytes}) : std::nullopt;
}

}  // namespace

PermitRequests::PermitRequests(Client daemon)
    : owner_(std::move(daemon)),
      most_waiters_(most_waiters()),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  watch_readable(epoll_.get(), owner_.descriptor());
}

void PermitRequests::begin_lost() {
  is_found_ = false;
  lacks_programs_ = true;
  if (owner_.descriptor() < 0) reconnect_at_ = TimePoint{};
  ask_whether_found();
}

/// Any answer will do: a daemon that stands still takes connections, too.
void PermitRequests::ask_whether_found() {
  if (!lacks_programs_) return ask_for_room();
  if (!reconnect_at_) requests_.push_back({Request::Kind::programs, 0, "GET", "/v1/build", ""});
}

void PermitRequests::ask(Ticket ticket, const Submission& submission, pid_t process) {
  queue_ = submission.queue;
  jobs_[ticket] = {.path = "/v1/jobs/" + submission.id,
                   .kind = "?key=" + percent_encode(submission.key) +
                           "&program=" + percent_encode(submission.program),
                   .process = process,
                   .token = {},
                   .memory = {}};
  requests_.push_back({Request::Kind::submit, ticket, "POST", "/v1/jobs", submit_body(submission)});
}

void PermitRequests::report(Ticket ticket, const JobUsage& usage) {
  const auto found = jobs_.find(ticket);
  if (found == jobs_.end() || !found->second.is_running || found->second.reports) return;
  found->second.reports = true;
  requests_.push_back({Request::Kind::report, ticket, "POST", found->second.path + "/heartbeat",
                       heartbeat_body(usage)});
}

void PermitRequests::end(Ticket ticket, Outcome outcome, const JobUsage& usage) {
  const auto found = jobs_.find(ticket);
  if (found == jobs_.end()) return;
  std::string target = found->second.path + "?outcome=" + std::string(to_string(outcome));
  jobs_.erase(found);
  // A request not sent yet needs no taking back.
  const auto is_its = [&](const Request& each) { return each.ticket == ticket; };
  const auto is_submit = [&](const Request& each) {
    return is_its(each) && each.kind == Request::Kind::submit;
  };
  const bool was_unsent = std::ranges::any_of(requests_, is_submit);
  std::erase_if(requests_, is_its);
  for (auto& [_, waiter] : waiters_) {
    // The daemon answers when the job has ended; until then the connection is not idle.
    if (waiter.ticket == ticket) waiter.ticket = 0;
  }
  std::erase(unwatched_, ticket);
  // First, since others wait for what it gives back.
  if (!was_unsent && !reconnect_at_) {
    requests_.push_front({Request::Kind::end, ticket, "DELETE", target, end_body(usage)});
  }
}

bool PermitRequests::has_asked(Request::Kind kind) const {
  const auto asks = [&](const Request& each) { return each.kind == kind; };
  return (asked_ && asks(*asked_)) || std::ranges::any_of(requests_, asks);
}

void PermitRequests::ask_how_many_fit(Ticket ticket) {
  const auto found = jobs_.find(ticket);
  if (found == jobs_.end() || reconnect_at_ || has_asked(Request::Kind::fit)) return;
  requests_.push_back({Request::Kind::fit, 0, "GET", "/v1/fit" + found->second.kind, ""});
}

void PermitRequests::ask_for_room() {
  if (reconnect_at_ || has_asked(Request::Kind::status)) return;
  requests_.push_back({Request::Kind::status, 0, "GET", "/v1/status", ""});
}

std::string PermitRequests::token_of(Ticket ticket) const {
  const auto found = jobs_.find(ticket);
  return found == jobs_.end() ? std::string() : found->second.token;
}

std::optional<Bytes> PermitRequests::memory_of(Ticket ticket) const {
  const auto found = jobs_.find(ticket);
  return found == jobs_.end() ? std::nullopt : found->second.memory;
}

std::optional<TimePoint> PermitRequests::next() const {
  if (reconnect_at_) return reconnect_at_;
  if (!asked_ && !requests_.empty()) return TimePoint{};
  const auto silent = silent_at();
  return silent ? std::optional(std::max(*silent, starves_until_)) : std::nullopt;
}

/// When the daemon will have owed an answer for too long; nullopt if it owes none.
std::optional<TimePoint> PermitRequests::silent_at() const {
  std::optional<TimePoint> first;
  if (asked_) first = asked_at_ + kSilent;
  for (const auto& [_, waiter] : waiters_) {
    if (waiter.ticket == 0) continue;
    const TimePoint at = waiter.asked_at + kWaits + kSilent;
    first = first ? std::min(*first, at) : at;
  }
  return first;
}

/// Whether a daemon that has been silent since then has more time.
bool PermitRequests::starves(TimePoint silent, TimePoint now) {
  if (now < starves_until_) return true;
  const auto daemon = credentials_of_peer(owner_.descriptor());
  if (now >= silent + kStarvesAtMost || !daemon || !has_busy_thread(daemon->pid)) return false;
  starves_until_ = now + kReconnectInterval;
  return true;
}

std::vector<PermitNews> PermitRequests::poll(TimePoint now) {
  if (reconnect_at_ && now >= *reconnect_at_) find_again(now);
  std::array<epoll_event, 64> ready;
  const int count = epoll_wait(epoll_.get(), ready.data(), ready.size(), 0);
  for (int at = 0; at < count && !reconnect_at_; ++at) {
    const int descriptor = ready[static_cast<std::size_t>(at)].data.fd;
    descriptor == owner_.descriptor() ? hear_owner(now) : hear_waiter(descriptor, now);
  }
  // One poll may take less than has arrived.
  const bool has_heard_all = count < static_cast<int>(ready.size());
  const auto silent = silent_at();
  if (has_heard_all && silent && now >= *silent && !starves(*silent, now)) {
    lose(kNoAnswer, now);
  }
  for (const Ticket ticket : std::exchange(unwatched_, {})) {
    if (!reconnect_at_ && jobs_.contains(ticket)) wait_for(ticket, now);
  }
  send_next(now);
  return std::exchange(news_, {});
}

void PermitRequests::send_next(TimePoint now) {
  if (reconnect_at_ || asked_ || requests_.empty()) return;
  asked_ = std::move(requests_.front());
  requests_.pop_front();
  asked_at_ = now;
  const auto problem = owner_.send(asked_->method, asked_->target, asked_->body);
  if (problem) lose(*problem, now);
}

void PermitRequests::hear_owner(TimePoint now) {
  const auto answer = owner_.receive();
  if (!answer) return;
  if (const auto* problem = std::get_if<std::string>(&*answer)) return lose(*problem, now);
  if (!asked_) return lose("unexpected answer from the daemon", now);
  const Request request = *std::exchange(asked_, std::nullopt);
  handle_reply(request, std::get<ClientReply>(*answer), now);
  send_next(now);
}

void PermitRequests::handle_reply(const Request& request, const ClientReply& reply, TimePoint now) {
  if (request.kind == Request::Kind::status) {
    if (!std::exchange(is_found_, true)) return news_.push_back({.what = News::found});
    if (read_running_jobs(reply) == 0U) {
      news_.push_back({.what = News::idle, .reason_kind = read_limiting(reply, queue_)});
    }
    const auto free = read_free_memory(reply);
    if (free) news_.push_back({.what = News::room, .memory = free});
    return;
  }
  if (request.kind == Request::Kind::fit) {
    const auto fit = read_fit(reply);
    if (fit) news_.push_back({.what = News::fits, .fit = *fit});
    return;
  }
  if (request.kind == Request::Kind::programs) return take_programs(reply);
  if (request.kind == Request::Kind::end) return take_end(request.ticket, reply);
  const auto found = jobs_.find(request.ticket);
  if (found == jobs_.end()) return;  // Ended meanwhile.
  if (request.kind == Request::Kind::report) found->second.reports = false;
  const auto answer = read_answer(reply, owner_.place());
  if (const auto* job = std::get_if<JobAnswer>(&answer))
    return take_state(request.ticket, *job, now);
  // Without `started` it is measured by what is reported; another error is for the submit alone.
  if (request.kind != Request::Kind::submit) return;
  const auto* why = std::get_if<DaemonError>(&answer);
  jobs_.erase(found);
  news_.push_back({News::refused, request.ticket, why ? why->code : "no_daemon",
                   why ? why->message : "no sluice daemon"});
}

void PermitRequests::take_programs(const ClientReply& reply) {
  lacks_programs_ = false;
  is_found_ = true;
  PermitNews found{.what = News::found};
  if (const auto answer = read_build(reply)) {
    ConfiguredPrograms configured = configured_programs(*answer);
    found.programs = std::move(configured.listed);
    found.timed_hold = configured.timed_hold;
  }
  news_.push_back(std::move(found));
}

void PermitRequests::take_end(Ticket ticket, const ClientReply& reply) {
  const auto answer = read_answer(reply, owner_.place());
  const auto* job = std::get_if<JobAnswer>(&answer);
  if (!job || !job->next_memory) return;
  news_.push_back({.what = News::learned, .ticket = ticket, .memory = Bytes{*job->next_memory}});
}

void PermitRequests::take_state(Ticket ticket, const JobAnswer& answer, TimePoint now) {
  Job& job = jobs_.at(ticket);
  if (answer.state == JobAnswer::State::pending) {
    news_.push_back({News::waits, ticket, answer.reason_kind, answer.reason, answer.ahead});
    return wait_for(ticket, now);
  }
  if (answer.state == JobAnswer::State::over || answer.was_deduplicated) {
    jobs_.erase(ticket);
    news_.push_back({News::refused, ticket, "ended", "its job was ended"});
    return;
  }
  if (!job.is_running) {
    job.is_running = true;
    const auto token = answer.environment.find(kPermitVariable);
    if (token != answer.environment.end()) job.token = token->second;
    job.memory = memory_in(answer);
    requests_.push_back({Request::Kind::started, ticket, "POST", job.path + "/started",
                         "{\"pid\": " + std::to_string(job.process) + "}"});
    news_.push_back({.what = News::granted, .ticket = ticket});
  }
  const bool is_suspended = !answer.suspended.empty();
  if (is_suspended == job.is_suspended) return;
  job.is_suspended = is_suspended;
  news_.push_back({.what = is_suspended ? News::suspended : News::goes_on,
                   .ticket = ticket,
                   .reason = answer.suspended});
}

void PermitRequests::wait_for(Ticket ticket, TimePoint now) {
  const Job& job = jobs_.at(ticket);
  const bool is_watched =
      std::ranges::any_of(waiters_, [&](const auto& each) { return each.second.ticket == ticket; });
  if (is_watched) return;
  if (waiters_.size() >= most_waiters_) {
    unwatched_.push_back(ticket);
    return;
  }
  auto reached = owner_.another();
  auto* client = std::get_if<Client>(&reached);
  const char* wait = jobs_.size() <= most_waiters_ ? kWait : kWaitInTurns;
  if (!client || client->send("GET", job.path + wait)) {
    unwatched_.push_back(ticket);
    return;
  }
  const int descriptor = client->descriptor();
  watch_readable(epoll_.get(), descriptor);
  waiters_.emplace(descriptor, Waiter{std::move(*client), ticket, now});
}

void PermitRequests::hear_waiter(int descriptor, TimePoint now) {
  const auto found = waiters_.find(descriptor);
  if (found == waiters_.end()) return;
  auto answer = found->second.client.receive();
  if (!answer) return;
  const Ticket ticket = found->second.ticket;
  auto* reply = std::get_if<ClientReply>(&*answer);
  const bool is_wanted = reply && ticket != 0 && jobs_.contains(ticket);
  const auto read = is_wanted ? read_answer(*reply, owner_.place()) : Unreadable{};
  const auto* job = std::get_if<JobAnswer>(&read);
  if (job && job->state == JobAnswer::State::pending) {
    news_.push_back({News::waits, ticket, job->reason_kind, job->reason, job->ahead});
    found->second.asked_at = now;
    const bool is_next = unwatched_.empty();
    if (is_next && !found->second.client.send("GET", jobs_.at(ticket).path + kWait)) return;
  }
  waiters_.erase(found);
  if (!is_wanted) return;
  if (job && job->state != JobAnswer::State::pending) return take_state(ticket, *job, now);
  unwatched_.push_back(ticket);
}

void PermitRequests::lose(const std::string& why, TimePoint now) {
  waiters_.clear();
  jobs_.clear();
  requests_.clear();
  unwatched_.clear();
  asked_.reset();
  if (is_found_) news_.push_back({.what = News::lost, .reason = why});
  is_found_ = false;
  // Closed, so that a daemon that was only slow takes its permits back.
  reconnect_at_ = now + kReconnectInterval;
  owner_.hang_up();
}

void PermitRequests::find_again(TimePoint now) {
  if (owner_.reconnect() || !sees_same_processes(owner_.descriptor())) {
    owner_.hang_up();
    reconnect_at_ = now + kReconnectInterval;
    return;
  }
  reconnect_at_.reset();
  watch_readable(epoll_.get(), owner_.descriptor());
  ask_whether_found();
}

}  // namespace sluice
