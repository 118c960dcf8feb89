#include "service/token_pool.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

namespace sluice {
namespace {

using Clients = std::vector<TokenClient>;
using Decisions = std::vector<TokenDecision>;

/// Which client gives up the next token: one that has an idle one left, then the one that keeps
/// the most, then the one that came last. None if none has any.
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

/// Lowers targets until the pressure is gone or nothing is left.
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

}  // namespace

std::vector<TokenDecision> TokenPool::decide(const std::vector<TokenClient>& clients,
                                             const TokenPressure& pressure, TimePoint now) {
  Decisions decisions;
  std::set<std::uint64_t> known;
  for (const TokenClient& client : clients) {
    look(client, now);
    known.insert(client.id);
    TokenDecision decision;
    decision.id = client.id;
    decision.target = std::min(client.granted - not_needed(client, now), client.most);
    decisions.push_back(decision);
  }
  std::erase_if(past_, [&](const auto& each) { return !known.contains(each.first); });
  relieve(clients, decisions, pressure);
  share(clients, decisions, now);
  for (std::size_t at = 0; at < clients.size(); ++at) {
    TokenDecision& decision = decisions[at];
    decision.debt = clients[at].granted - decision.target;
    decision.take_back = std::min(decision.debt, clients[at].idle);
    decision.ask = ask_for(clients[at], decision, pressure, now);
  }
  return decisions;
}

void TokenPool::look(const TokenClient& client, TimePoint now) {
  const auto [found, is_new] = past_.try_emplace(client.id);
  Past& past = found->second;
  if (is_new) {
    past.since = past.retry_at = now;
    past.least_idle = client.idle;
    past.retry_in = options_.retry_least;
  }
  if (client.granted > past.granted) past.trying = true;
  past.granted = client.granted;
  past.least_idle = std::min(past.least_idle, client.idle);
  if (client.idle == 0) {
    past.since = now;
    past.least_idle = std::numeric_limits<std::size_t>::max();  // A new stretch.
    if (past.trying) past.retry_in = options_.retry_least;
    past.trying = false;
  }
  if (client.asked > 0 && !past.asking) past.asked_since = now;
  past.asking = client.asked > 0;
}

/// Tokens that lay idle at every look of a whole stretch; a new stretch begins then.
std::size_t TokenPool::not_needed(const TokenClient& client, TimePoint now) {
  Past& past = past_.at(client.id);
  if (now - past.since < options_.idle_after) return 0;
  const std::size_t unused = std::min(past.least_idle, client.granted);
  past.since = now;
  past.least_idle = client.idle;
  if (unused == 0) return 0;
  past.trying = false;
  past.retry_at = now + past.retry_in;
  past.retry_in = std::min(2 * past.retry_in, options_.retry_most);
  return unused;
}

/// Where one client waits in vain, the richest gives up one token at a time until none holds two
/// more than another that wants some.
void TokenPool::share(const Clients& clients, Decisions& decisions, TimePoint now) const {
  std::optional<std::size_t> poorest;
  for (std::size_t at = 0; at < clients.size(); ++at) {
    if (clients[at].granted > decisions[at].target) return;  // A token is on its way already.
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

TokenDecision::Ask TokenPool::ask_for(const TokenClient& client, const TokenDecision& decision,
                                      const TokenPressure& pressure, TimePoint now) const {
  if (client.asked > 0) {
    const bool unwanted = decision.debt > 0 || client.idle > 0 || !client.warm || pressure.any();
    return unwanted ? TokenDecision::Ask::withdraw : TokenDecision::Ask::leave;
  }
  const bool wants = client.warm && client.idle == 0 && client.granted < client.most;
  const bool may = decision.debt == 0 && !pressure.any() && now >= past_.at(client.id).retry_at;
  return wants && may ? TokenDecision::Ask::one_more : TokenDecision::Ask::leave;
}

}  // namespace sluice
