#include "service/jobserver/token_pool.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

namespace sluice::jobserver {
namespace {

using Clients = std::vector<TokenClient>;
using Decisions = std::vector<TokenDecision>;

/// The client that gives up the next token: one that still has an idle one, then the one that keeps
/// the most, then the latest to arrive. nullopt if none has any.
std::optional<std::size_t> next_to_give(const Clients& clients, const Decisions& decisions) {
  const auto rank = [&](std::size_t at) {
    const std::size_t given = clients[at].granted - decisions[at].target;
    return std::tuple(clients[at].idle > given, decisions[at].target, clients[at].id);
  };
  std::optional<std::size_t> best;
  for (std::size_t at = 0; at < clients.size(); ++at) {
    if (decisions[at].target == 0) continue;
    if (!best || rank(at) > rank(*best)) best = at;
  }
  return best;
}

TokenPressure without(TokenPressure pressure, const TokenClient& token) {
  pressure.points = std::max(Points{0}, pressure.points - token.cost);
  pressure.memory.value -= std::min(pressure.memory.value, token.memory.value);
  return pressure;
}

/// Lowers targets until the pressure is gone or no tokens are left.
void relieve(const Clients& clients, Decisions& decisions, TokenPressure pressure) {
  for (std::size_t at = 0; at < clients.size(); ++at) {
    const std::size_t given = clients[at].granted - decisions[at].target;
    for (std::size_t token = 0; token < given; ++token) pressure = without(pressure, clients[at]);
  }
  while (pressure.any()) {
    const auto giver = next_to_give(clients, decisions);
    if (!giver) return;
    --decisions[*giver].target;
    pressure = without(pressure, clients[*giver]);
  }
}

/// How many of the client's tokens fit into `points`.
std::size_t tokens_within(Points points, const TokenClient& client) {
  return static_cast<std::size_t>(points.value / client.cost.value);
}

/// Whether any other job waits that free points could help.
bool others_want_room(const Status& status, std::size_t asked) {
  std::size_t held = 0;
  for (const QueueStatus& queue : status.queues) held += queue.held;
  return status.pending > asked + held;
}

}  // namespace

std::size_t tokens_to_offer(const TokenClient& client, Points spare) {
  if (!client.warm) return 0;
  const std::size_t idle_at_most = tokens_within(spare, client);
  const std::size_t room = client.most - std::min(client.most, client.granted);
  return std::min(room, idle_at_most - std::min(idle_at_most, client.idle));
}

std::size_t tokens_at_once(const TokenClient& client) {
  constexpr std::size_t kLeast = 4, kLeastAsleep = 64;
  const std::size_t room = client.most - std::min(client.most, client.granted);
  if (client.sleeps) return std::min(room, std::max(kLeastAsleep, 3 * client.granted));
  return std::min(room, std::max(kLeast, client.granted + 1));
}

std::vector<TokenDecision> TokenPool::decide(const std::vector<TokenClient>& clients,
                                             const TokenPressure& pressure, TimePoint now) {
  std::set<std::uint64_t> known;
  for (const TokenClient& client : clients) {
    sample(client, now);
    known.insert(client.id);
  }
  std::erase_if(past_, [&](const auto& each) { return !known.contains(each.first); });
  const Points spare = spare_for_each(clients, pressure, now);
  Decisions decisions;
  for (const TokenClient& client : clients) {
    decisions.push_back(
        {client.id, std::min(client.granted - not_needed(client, spare, now), client.most)});
  }
  relieve(clients, decisions, pressure);
  share(clients, decisions, now);
  for (std::size_t at = 0; at < clients.size(); ++at) {
    TokenDecision& decision = decisions[at];
    decision.debt = clients[at].granted - decision.target;
    decision.take_back = std::min(decision.debt, clients[at].idle);
    ask_for(clients[at], pressure, spare, decision, now);
  }
  return decisions;
}

void TokenPool::sample(const TokenClient& client, TimePoint now) {
  const auto [found, is_new] = past_.try_emplace(client.id);
  Past& past = found->second;
  if (is_new) {
    past.since = past.retry_at = now;
    past.least_idle = client.idle;
    past.retry_in = options_.retry_least;
    past.trying = client.granted > 0;
  } else {
    look_for_refusal(past, client, now);
    look_for_takes(past, client, now);
  }
  past.granted = client.granted;
  past.idle = client.idle;
  past.least_idle = std::min(past.least_idle, client.idle);
  if (client.idle == 0) {
    past.since = now;
    past.least_idle = std::numeric_limits<std::size_t>::max();  // Starts a new stretch.
    past.unused = 0;
    if (past.trying) past.retry_in = options_.retry_least;
    past.trying = false;
  }
  if (client.asked > 0 && !past.asking) past.asked_since = now;
  past.asking = client.asked > 0;
}

/// Only a token that arrived when none was idle shows whether the client waited for it.
void TokenPool::look_for_takes(Past& past, const TokenClient& client, TimePoint now) const {
  if (client.granted > past.granted) past.trying = true;
  if (client.granted > past.granted && past.idle == 0) past.put_at = now;
  if (!past.put_at) return;
  const bool taken = client.granted - client.idle > past.granted - past.idle;
  if (!taken) return;
  past.prompt_takes = now - *past.put_at <= options_.prompt ? past.prompt_takes + 1 : 0;
  past.put_at.reset();
}

void TokenPool::look_for_refusal(Past& past, const TokenClient& client, TimePoint now) const {
  if (client.granted > past.granted) past.refused = false;
  if (past.offered == 0) return;
  past.offered = 0;
  if (client.granted > past.granted) return;
  past.refused = true;
  if (client.idle > 0) put_off(past, now);
}

void TokenPool::put_off(Past& past, TimePoint now) const {
  past.retry_at = now + past.retry_in;
  past.retry_in = std::min(2 * past.retry_in, options_.retry_most);
}

bool TokenPool::is_lazy(const TokenClient& client) const {
  return past_.at(client.id).prompt_takes < options_.prompt_takes;
}

/// What the idle tokens of each lazy client may hold; 0 while another client's request stays unmet.
Points TokenPool::spare_for_each(const Clients& clients, const TokenPressure& pressure,
                                 TimePoint now) const {
  std::int64_t lazy = 0;
  for (const TokenClient& client : clients) {
    const Past& past = past_.at(client.id);
    if (past.asking && client.idle == 0 && past.asked_since != now) return Points{0};
    if (client.warm && is_lazy(client)) ++lazy;
  }
  if (lazy == 0 || pressure.any()) return Points{0};
  return Points{pressure.spare.value / lazy};
}

/// Tokens that were idle at every poll of a whole stretch, except those that a lazy client may
/// keep.
std::size_t TokenPool::not_needed(const TokenClient& client, Points spare, TimePoint now) {
  Past& past = past_.at(client.id);
  if (now - past.since >= options_.idle_after) {
    past.unused = past.least_idle;
    past.since = now;
    past.least_idle = client.idle;
  }
  const bool may_keep = client.warm && is_lazy(client);
  const std::size_t kept = may_keep ? tokens_within(spare, client) : 0;
  past.unused = std::min({past.unused, past.least_idle, client.granted});
  const std::size_t given = std::min(past.unused, client.idle - std::min(client.idle, kept));
  if (given == 0) return 0;
  past.unused -= given;
  past.trying = false;
  put_off(past, now);
  return given;
}

/// If one client waits too long, the richest gives up one token at a time until no client holds two
/// more than another that wants some.
void TokenPool::share(const Clients& clients, Decisions& decisions, TimePoint now) const {
  std::optional<std::size_t> poorest;
  for (std::size_t at = 0; at < clients.size(); ++at) {
    if (clients[at].granted > decisions[at].target) return;  // A token is being freed already.
    const Past& past = past_.at(clients[at].id);
    if (!past.asking || now - past.asked_since < options_.patience) continue;
    if (!poorest || decisions[at].target < decisions[*poorest].target) poorest = at;
  }
  if (!poorest) return;
  std::size_t richest = *poorest;
  for (std::size_t at = 0; at < clients.size(); ++at) {
    if (decisions[at].target >= decisions[richest].target) richest = at;
  }
  if (decisions[richest].target >= decisions[*poorest].target + 2) --decisions[richest].target;
}

void TokenPool::ask_for(const TokenClient& client, const TokenPressure& pressure, Points spare,
                        TokenDecision& decision, TimePoint now) {
  using Ask = TokenDecision::Ask;
  const bool may = decision.debt == 0 && !pressure.any() && client.warm;
  if (client.asked > 0) {
    decision.ask = may && client.idle == 0 ? Ask::leave : Ask::withdraw;
    return;
  }
  Past& past = past_.at(client.id);
  if (!may || client.granted >= client.most || now < past.retry_at) return;
  // A client whose offer failed and that has no idle token queues like any other.
  const bool in_line = client.idle == 0 && (past.refused || !is_lazy(client));
  if (!in_line && is_lazy(client)) past.offered = tokens_to_offer(client, spare);
  decision.offer = past.offered;
  if (decision.offer == 0 && client.idle == 0) decision.ask = Ask::one_more;
  // One that does not fit waits in line as it would have without the offer.
  if (in_line && pressure.pace == TokenPace::many) decision.offer = tokens_at_once(client);
}

TokenPressure token_pressure(const Status& status, std::size_t asked, Points held) {
  TokenPressure pressure;
  // Under `knee` jobs that run cost what they need, whatever the size.
  if (status.law != Law::knee) pressure.points = std::max(Points{0}, status.usage - status.size);
  if (status.law == Law::knee) pressure.pace = TokenPace::many;
  const bool others_wait =
      status.pending > asked && status.limiting && status.limiting->code == RefusalCode::window;
  if (others_wait) {
    const Points wanted = status.usage + status.limiting->cost - status.size;
    const Points may_go = held - Points{status.size.value / 2};
    pressure.points = std::max(pressure.points, std::min(wanted, may_go));
  }
  if (status.memory) {
    const MemoryStatus& memory = *status.memory;
    const std::uint64_t spoken_for = memory.others.value + memory.kept.value + memory.margin.value;
    pressure.memory.value = spoken_for - std::min(spoken_for, memory.promised.value);
  }
  return pressure;
}

Points token_spare(const Status& status, std::size_t asked, Points idle, TokenWindow window) {
  const bool closed = status.full && status.full->code != RefusalCode::window;
  if (closed || status.law == Law::rfc || others_want_room(status, asked)) return Points{0};
  // Tokens on the permit of a parent job add less to the usage than they hold.
  const Points used = std::max(Points{0}, status.usage - idle);
  const Points left = std::max(Points{0}, status.size - used);
  return window == TokenWindow::own ? left : Points{left.value / 2};
}

}  // namespace sluice::jobserver
