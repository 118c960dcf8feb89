#include "service/jobserver/jobserver.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "base/mapped.h"

namespace sluice {
namespace {

/// Between two polls of the fifos. A client whose tokens are all in use grows by one in this time.
constexpr Duration kTokenPoll = std::chrono::milliseconds(20);

}  // namespace

Jobserver::Jobserver(Governor& governor, std::shared_ptr<History> history, Say say,
                     MemoryMeter brake, TokenWindow window)
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

Jobserver::~Jobserver() {
  while (!clients_.empty()) close(clients_.begin()->first, Outcome::cancelled);
}

void Jobserver::work() {
  std::uint64_t times = 0;
  [[maybe_unused]] const ssize_t got = read(timer_.get(), &times, sizeof times);
  const TimePoint now = Clock::now();
  for (Delivery& delivery : mailbox_->take_all()) receive(std::move(delivery));
  runs_.sample(clients_, law_, now);
  if (any_runs()) sample(now);
}

JobRequest Jobserver::slot_request(const JobserverRequest& client) const {
  return first_job_of(client, runs_.history());
}

std::optional<std::string> Jobserver::open(std::uint64_t id, const JobserverRequest& request) {
  auto made = TokenFifo::make(request.folder, request.owner);
  if (auto* problem = std::get_if<std::string>(&made)) return std::move(*problem);
  TokenFifo& fifo = std::get<TokenFifo>(made);
  JobserverSession& client = clients_.try_emplace(id, id, request, std::move(fifo)).first->second;
  client.foresee(runs_.history());
  return std::nullopt;
}

void Jobserver::offer(std::uint64_t id) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  const TokenPressure pressure = take_stock().pressure;
  if (pressure.any()) return;
  offer(found->second, tokens_to_offer(look_at(found->second), pressure.spare));
}

void Jobserver::begin(std::uint64_t id, pid_t process,
                      std::function<void(const JobUsage&)> measured_slot) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  found->second.begin(process, std::move(measured_slot), Clock::now());
  set_timer();
}

std::optional<JobserverEnd> Jobserver::close(std::uint64_t id, Outcome outcome) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return std::nullopt;
  JobserverSession& client = found->second;
  withdraw_request(client);
  if (client.owes()) unwatch(client.descriptor());
  const JobserverEnd end = client.end();
  lost_ += end.lost;
  runs_.finish(client, outcome);
  clients_.erase(found);  // Returns the permits.
  set_timer();
  return end;
}

std::optional<JobserverView> Jobserver::view(std::uint64_t id) const {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return std::nullopt;
  return found->second.view();
}

std::vector<JobserverView> Jobserver::views() const {
  return mapped(clients_, [](auto& each) { return each.second.view(); });
}

void Jobserver::unwatch(int descriptor) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

bool Jobserver::any_runs() const {
  return std::ranges::any_of(clients_, [](const auto& each) { return each.second.running(); });
}

void Jobserver::set_timer() {
  const bool needed = any_runs();
  itimerspec period{};
  if (needed) period.it_interval.tv_nsec = period.it_value.tv_nsec = kTokenPoll.count();
  timerfd_settime(timer_.get(), 0, &period, nullptr);
}

void Jobserver::receive(Delivery delivery) {
  const auto found = clients_.find(delivery.client);
  // A permit that is no longer awaited is returned when dropped.
  if (found == clients_.end() || !found->second.expects(delivery.job)) return;
  JobserverSession& client = found->second;
  client.expect_nothing();
  auto* permit = std::get_if<Permit>(&delivery.admission);
  if (permit && client.grant(std::move(*permit))) ++granted_;
}

Jobserver::Stock Jobserver::take_stock() {
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

void Jobserver::sample(TimePoint now) {
  const Stock stock = take_stock();
  for (const TokenDecision& decision : pool_.decide(stock.clients, stock.pressure, now)) {
    carry_out(decision, clients_.at(decision.id));
  }
}

TokenClient Jobserver::look_at(JobserverSession& client) {
  if (const auto surplus = client.remove_surplus()) say_(*surplus);
  TokenClient seen = client.seen();
  // Under `law: knee` an unknown job is charged what is expected, and then what it uses.
  seen.warm = (seen.warm || law_ == Law::knee) && !runs_.suspends_any();
  return seen;
}

void Jobserver::carry_out(const TokenDecision& decision, JobserverSession& client) {
  const bool owed = client.owes();
  client.settle(decision);
  if (client.owes() != owed) watch_for_debt(client);
  const bool all_fit = decision.offer > 0 && offer(client, decision.offer);
  if (decision.ask == TokenDecision::Ask::one_more && !all_fit) ask(decision.id, client);
  if (decision.ask == TokenDecision::Ask::withdraw) withdraw_request(client);
}

bool Jobserver::offer(JobserverSession& client, std::size_t tokens) {
  for (; tokens > 0; --tokens) {
    Admission admission = governor_.try_admit(client.kind());
    auto* permit = std::get_if<Permit>(&admission);
    if (!permit || !client.grant(std::move(*permit))) return false;
    ++granted_;
  }
  return true;
}

void Jobserver::watch_for_debt(const JobserverSession& client) {
  client.owes() ? watch_readable(epoll_.get(), client.descriptor()) : unwatch(client.descriptor());
}

void Jobserver::ask(std::uint64_t id, JobserverSession& client) {
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

void Jobserver::withdraw_request(JobserverSession& client) {
  if (const auto asked = client.expect_nothing()) governor_.cancel(*asked);
}

}  // namespace sluice
