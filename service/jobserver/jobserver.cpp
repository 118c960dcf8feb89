#include "service/jobserver/jobserver.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "base/mapped.h"

namespace sluice::jobserver {
namespace {

/// Between two polls of the fifos. A client whose tokens are all in use grows by one in this time.
constexpr Duration kTokenPoll = std::chrono::milliseconds(20);

}  // namespace

Server::Server(Governor& governor, std::shared_ptr<History> history, Say say, MemoryMeter brake,
               TokenWindow window)
    : governor_(governor),
      say_(std::move(say)),
      window_(window),
      mailbox_(std::make_shared<Mailbox<Delivery>>()),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      runs_(std::move(history), say_, std::move(brake)) {
  watch_readable(epoll_.get(), mailbox_->descriptor());
  watch_readable(epoll_.get(), timer_.get());
}

Server::~Server() {
  while (!clients_.empty()) close(clients_.begin()->first, Outcome::cancelled);
}

void Server::work() {
  std::uint64_t times = 0;
  [[maybe_unused]] const ssize_t got = read(timer_.get(), &times, sizeof times);
  const TimePoint now = Clock::now();
  for (Delivery& delivery : mailbox_->take_all()) receive(std::move(delivery));
  runs_.sample(clients_, law_, now);
  if (any_runs()) sample(now);
}

JobRequest Server::slot_request(const Request& client) const {
  return first_job_of(client, runs_.history());
}

std::optional<std::string> Server::open(std::uint64_t id, const Request& request) {
  auto made = TokenFifo::make(request.folder, request.owner);
  if (auto* problem = std::get_if<std::string>(&made)) return std::move(*problem);
  TokenFifo& fifo = std::get<TokenFifo>(made);
  Session& client = clients_.try_emplace(id, id, request, std::move(fifo)).first->second;
  client.foresee(runs_.history());
  return std::nullopt;
}

void Server::offer(std::uint64_t id) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  const TokenPressure pressure = take_stock().pressure;
  if (pressure.any()) return;
  offer(found->second, tokens_to_offer(look_at(found->second), pressure.spare));
}

void Server::begin(std::uint64_t id, pid_t process,
                   std::function<void(const JobUsage&)> measured_slot) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  found->second.begin(process, std::move(measured_slot), Clock::now());
  set_timer();
}

std::optional<End> Server::close(std::uint64_t id, Outcome outcome) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return std::nullopt;
  Session& client = found->second;
  withdraw_request(client);
  if (client.owes()) unwatch(client.descriptor());
  const End end = client.end();
  lost_ += end.lost;
  runs_.finish(client, outcome);
  clients_.erase(found);  // Returns the permits.
  set_timer();
  return end;
}

std::optional<View> Server::view(std::uint64_t id) const {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return std::nullopt;
  return found->second.view();
}

std::vector<View> Server::views() const {
  return mapped(clients_, [](auto& each) { return each.second.view(); });
}

void Server::unwatch(int descriptor) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

bool Server::any_runs() const {
  return std::ranges::any_of(clients_, [](const auto& each) { return each.second.running(); });
}

void Server::set_timer() {
  const bool needed = any_runs();
  itimerspec period{};
  if (needed) period.it_interval.tv_nsec = period.it_value.tv_nsec = kTokenPoll.count();
  timerfd_settime(timer_.get(), 0, &period, nullptr);
}

void Server::receive(Delivery delivery) {
  const auto found = clients_.find(delivery.client);
  // A permit that is no longer awaited is returned when dropped.
  if (found == clients_.end() || !found->second.expects(delivery.job)) return;
  Session& client = found->second;
  client.expect_nothing();
  auto* permit = std::get_if<Permit>(&delivery.admission);
  if (permit && client.grant(std::move(*permit))) ++granted_;
}

Server::Stock Server::take_stock() {
  Stock stock;
  const Status status = governor_.status();
  law_ = status.law;
  std::size_t asked = 0;
  Points held{0}, idle{0};
  for (auto& [id, client] : clients_) {
    if (!client.running()) continue;
    stock.clients.push_back(look_at(client));
    asked += stock.clients.back().asked;
    held += client.held();
    idle += client.held_idle();
  }
  stock.pressure = token_pressure(status, asked, held);
  stock.pressure.spare = token_spare(status, asked, idle, window_);
  return stock;
}

void Server::sample(TimePoint now) {
  const Stock stock = take_stock();
  for (const TokenDecision& decision : pool_.decide(stock.clients, stock.pressure, now)) {
    carry_out(decision, clients_.at(decision.id));
  }
}

TokenClient Server::look_at(Session& client) {
  if (const auto surplus = client.remove_surplus()) say_(*surplus);
  TokenClient seen = client.seen();
  // Under `law: knee` an unknown job is charged what is expected, and then what it uses.
  seen.warm = (seen.warm || law_ == Law::knee) && !runs_.suspends_any();
  return seen;
}

void Server::carry_out(const TokenDecision& decision, Session& client) {
  const bool owed = client.owes();
  client.settle(decision);
  if (client.owes() != owed) watch_for_debt(client);
  const bool all_fit = decision.offer > 0 && offer(client, decision.offer);
  if (decision.ask == TokenDecision::Ask::one_more && !all_fit) ask(decision.id, client);
  if (decision.ask == TokenDecision::Ask::withdraw) withdraw_request(client);
}

bool Server::offer(Session& client, std::size_t tokens) {
  for (; tokens > 0; --tokens) {
    Admission admission = governor_.try_admit(client.kind());
    auto* permit = std::get_if<Permit>(&admission);
    if (!permit || !client.grant(std::move(*permit))) return false;
    ++granted_;
  }
  return true;
}

void Server::watch_for_debt(const Session& client) {
  client.owes() ? watch_readable(epoll_.get(), client.descriptor()) : unwatch(client.descriptor());
}

void Server::ask(std::uint64_t id, Session& client) {
  // The permit may arrive before its number is known here; only `work` takes deliveries.
  auto result =
      governor_.submit(client.kind(), [mailbox = mailbox_, id](JobId job, Admission admission) {
        mailbox->put({id, job, std::move(admission)});
      });
  if (const auto* queued = std::get_if<Queued>(&result)) {
    // If another request waits in its place (a highlander), the next poll asks again.
    if (!queued->deduplicated) client.expect(queued->id);
    return;
  }
  const Refusal& refusal = std::get<Refusal>(result);
  // Asking for more cannot help, and must not flood the governor's queue.
  client.limit_to_granted();
  say_(client.name() + " gets no more tokens: " + to_sentence(refusal));
}

void Server::withdraw_request(Session& client) {
  if (const auto asked = client.expect_nothing()) governor_.cancel(*asked);
}

}  // namespace sluice::jobserver
