#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// One client of a jobserver at one look. A token is the right to run one job beside the one that
/// every client may run without; each stands for one permit.
struct TokenClient {
  std::uint64_t id = 0;     ///< In order of arrival.
  std::size_t granted = 0;  ///< Tokens out: in its fifo, or with its processes.
  std::size_t idle = 0;     ///< Of these, in its fifo; <= granted.
  std::size_t asked = 0;    ///< Permits that were asked for on its behalf and have not come.
  std::size_t most = 0;     ///< Never more tokens than this.
  bool warm = false;        ///< What a token's work costs is known; a cold client gets none.
  Points cost{10};          ///< Of one token; >= 1.
  Bytes memory;             ///< That is kept for one token.
};

/// What tokens together are to give up: the points in use beyond the window, or that jobs in line
/// need which are no tokens, the memory promised beyond what there is, and what idle tokens may
/// keep.
struct TokenPressure {
  Points points;  ///< >= 0
  Bytes memory;
  /// What idle tokens may hold together for as long as nobody else wants it; at least 0.
  Points spare{0};

  bool any() const { return points > Points{0} || memory > Bytes{0}; }
};

/// What to do about one client.
struct TokenDecision {
  enum class Ask { leave, one_more, withdraw };
  std::uint64_t id = 0;
  std::size_t target = 0;     ///< Tokens it may keep; <= granted.
  std::size_t debt = 0;       ///< granted - target: to be read back, now or as its jobs end.
  std::size_t take_back = 0;  ///< Of the debt, what lies in the fifo now.
  Ask ask = Ask::leave;
  std::size_t offer = 0;  ///< Tokens to add as far as there is room for them now; nobody asked.
};

struct TokenPoolOptions {
  /// A token that was not needed for this long goes back.
  Duration idle_after = std::chrono::milliseconds(500);
  /// Between the return of a token that was not needed and the next attempt: doubled each time, up
  /// to the most, and back to the least once one was used.
  Duration retry_least = std::chrono::milliseconds(250);
  Duration retry_most = std::chrono::seconds(2);
  /// A client whose request waits this long may have a token of one that holds two more.
  Duration patience = std::chrono::milliseconds(100);
  /// A client that takes a token within this time of its arrival was waiting for it.
  Duration prompt = std::chrono::milliseconds(50);
  /// So many in a row: chance is ruled out.
  int prompt_takes = 2;
};

/// How many tokens a client may find that it has not asked for, beside those that lie idle already:
/// `spare` is its part of `TokenPressure::spare`. None for a cold one.
std::size_t tokens_to_offer(const TokenClient& client, Points spare);

/// How many tokens each client of a jobserver should have.
///
///   granted = idle + in use       debt = granted - target
///
/// Nothing on a fifo tells that a client waits, only that none of its tokens lies idle: so one more
/// is tried then, and taken back if it is not used, as a sender validates its window (RFC 7661).
///
/// A client that *waits* takes such a token at once. One that does not (ninja 1.13) looks into its
/// fifo when one of its jobs ends, and what is not there then is of no use to it until the next one
/// ends. Until a client was seen to wait it counts as such a *lazy* one: what is to spare is
/// offered to it and stays, as long as nobody else wants it.
///
/// What the pool must give up is taken from idle tokens first, then from whoever has the most.
/// Pure but for its memory of the looks before: same looks, same decisions. Not thread-safe.
class TokenPool {
 public:
  explicit TokenPool(TokenPoolOptions options = {}) : options_(options) {}

  /// One decision for each client, in their order. Times must not go backwards.
  std::vector<TokenDecision> decide(const std::vector<TokenClient>& clients,
                                    const TokenPressure& pressure, TimePoint now);

 private:
  struct Past {
    TimePoint since;  ///< Of the stretch that `least_idle` is the least of.
    std::size_t least_idle = 0;
    std::size_t unused = 0;             ///< Idle for the whole stretch before, and ever since.
    std::size_t granted = 0, idle = 0;  ///< At the last look.
    bool trying = false;  ///< A token was added and it is not known yet if it is needed.
    std::optional<TimePoint> put_at;  ///< That one, if none lay idle; none once one was taken.
    int prompt_takes = 0;             ///< In a row.
    std::size_t offered = 0;          ///< By the last decision.
    bool refused = false;             ///< There was room for none of what was offered last.
    TimePoint retry_at;
    Duration retry_in{0};
    TimePoint asked_since;
    bool asking = false;
  };

  void look(const TokenClient& client, TimePoint now);
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

}  // namespace sluice
