#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sluice/status.h"
#include "sluice/units.h"

namespace sluice::jobserver {

/// One client of a jobserver at one poll. A token is the right to run one job besides the one that
/// every client may run without; each token stands for one permit.
struct TokenClient {
  std::uint64_t id = 0;     ///< In order of arrival.
  std::size_t granted = 0;  ///< Tokens in its fifo or with its processes.
  std::size_t idle = 0;     ///< Of these, in its fifo; <= granted.
  std::size_t asked = 0;    ///< Permits requested for it that have not arrived.
  std::size_t most = 0;     ///< Most tokens that it may have.
  bool warm = false;        ///< It may get tokens: mostly, the cost of a token's work is known.
  bool sleeps = false;      ///< Its jobs are known to hardly use a CPU.
  Points cost{10};          ///< Of one token; >= 1.
  Bytes memory;             ///< Reserved for one token.
};

/// How many tokens a client that waits gets in one poll.
enum class TokenPace {
  one,   ///< One: what is known of its jobs is all that bounds them.
  many,  ///< As many as it has, as far as they fit: the governor looks at the CPUs for each.
};

/// What tokens together must give up: the points in use beyond the window or needed by other jobs
/// that wait, and the memory reserved beyond what exists; and what idle tokens may keep.
struct TokenPressure {
  Points points;  ///< >= 0
  Bytes memory;
  /// What idle tokens may hold together as long as nobody else wants it; >= 0.
  Points spare{0};
  TokenPace pace = TokenPace::one;

  bool any() const { return points > Points{0} || memory > Bytes{0}; }
};

/// The window from which tokens are taken.
enum class TokenWindow {
  shared,  ///< Others use it too, and must see what is left of it.
  own,     ///< Only the clients use it.
};

/// What tokens have to give up: at once, the points in use beyond the window. If other jobs wait
/// for the window, also what the first of these needs, except for half the window, which the tokens
/// may keep. `asked`: permits that pend for tokens; `held`: points that tokens hold. Pure.
TokenPressure token_pressure(const Status& status, std::size_t asked, Points held);

/// Points that idle tokens may hold; `idle` is what they hold now. It is everything that nothing
/// else uses, or half of that if others must see free points to take work. Zero while any other job
/// waits, while nothing may start, or if usage makes the window grow (`Law::rfc`): it must not grow
/// because of unused tokens. Pure.
Points token_spare(const Status& status, std::size_t asked, Points idle, TokenWindow window);

/// The decision about one client.
struct TokenDecision {
  enum class Ask { leave, one_more, withdraw };
  std::uint64_t id = 0;
  std::size_t target = 0;     ///< Tokens it may keep; <= granted.
  std::size_t debt = 0;       ///< granted - target: to be taken back, now or as its jobs end.
  std::size_t take_back = 0;  ///< The part of the debt that is in the fifo now.
  Ask ask = Ask::leave;
  /// Unrequested tokens to add as far as they fit now; `ask` is for after that, if one did not.
  std::size_t offer = 0;
};

struct TokenPoolOptions {
  /// A token that was not needed for this long is taken back.
  Duration idle_after = std::chrono::milliseconds(500);
  /// Delay between taking back an unneeded token and the next attempt: doubles each time up to the
  /// maximum, and returns to the minimum once a token was used.
  Duration retry_least = std::chrono::milliseconds(250);
  Duration retry_most = std::chrono::seconds(2);
  /// A client whose request waits this long may get a token from one that holds two more.
  Duration patience = std::chrono::milliseconds(100);
  /// A client that takes a token within this time of its arrival was waiting for it.
  Duration prompt = std::chrono::milliseconds(50);
  /// This many in a row rule out chance.
  int prompt_takes = 2;
};

/// How many unrequested tokens a client may be offered, besides those already idle: `spare` is its
/// part of `TokenPressure::spare`. 0 for a cold client.
std::size_t tokens_to_offer(const TokenClient& client, Points spare);

/// How many tokens a client that waits, with none idle, may be given in one poll: as many again as
/// it has, so that a hundred take six polls and no more than a half can turn out unneeded. Where
/// its jobs are known to sleep, 64 and three times as many as it has: those not needed cost a point
/// each.
std::size_t tokens_at_once(const TokenClient& client);

/// How many tokens each client of a jobserver should have.
///
///   granted = idle + in use       debt = granted - target
///
/// A fifo does not show that a client waits, only that none of its tokens is idle. So one more is
/// then tried, and taken back if it is not used, as a sender validates its window (RFC 7661).
///
/// A client that *waits* takes such a token at once. One that does not (ninja 1.13) polls its fifo
/// when one of its jobs ends, and cannot use what arrives later until the next one ends. Until a
/// client has been seen to wait, it counts as *lazy*: it is offered spare tokens, which stay as
/// long as nobody else wants them.
///
/// What the pool must give up is taken from idle tokens first, then from the client with the most.
/// Pure except for its memory of earlier polls: the same polls give the same decisions. Not
/// thread-safe.
class TokenPool {
 public:
  explicit TokenPool(TokenPoolOptions options = {}) : options_(options) {}

  /// Returns one decision per client, in the clients' order. Times must not go backwards.
  std::vector<TokenDecision> decide(const std::vector<TokenClient>& clients,
                                    const TokenPressure& pressure, TimePoint now);

 private:
  struct Past {
    TimePoint since;  ///< Start of the stretch over which `least_idle` is the minimum.
    std::size_t least_idle = 0;
    std::size_t unused = 0;             ///< Idle throughout the previous stretch, and ever since.
    std::size_t granted = 0, idle = 0;  ///< At the last poll.
    bool trying = false;                ///< Not yet known if the last added token is needed.
    /// When that token was put if none was idle; nullopt once one was taken.
    std::optional<TimePoint> put_at;
    int prompt_takes = 0;     ///< In a row.
    std::size_t offered = 0;  ///< By the last decision.
    bool refused = false;     ///< None of the last offer fit.
    TimePoint retry_at;
    Duration retry_in{0};
    TimePoint asked_since;
    bool asking = false;
  };

  void sample(const TokenClient& client, TimePoint now);
  void look_for_takes(Past& past, const TokenClient& client, TimePoint now) const;
  void look_for_refusal(Past& past, const TokenClient& client, TimePoint now) const;
  void put_off(Past& past, TimePoint now) const;
  bool is_lazy(const TokenClient& client) const;
  Points spare_for_each(const std::vector<TokenClient>& clients, const TokenPressure& pressure,
                        TimePoint now) const;
  std::size_t not_needed(const TokenClient& client, Points spare, TimePoint now);
  void share(const std::vector<TokenClient>& clients, std::vector<TokenDecision>& decisions,
             TimePoint now) const;
  void ask_for(const TokenClient& client, const TokenPressure& pressure, Points spare,
               TokenDecision& decision, TimePoint now);

  TokenPoolOptions options_;
  std::map<std::uint64_t, Past> past_;
};

}  // namespace sluice::jobserver
