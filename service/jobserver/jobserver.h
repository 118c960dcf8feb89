#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptors.h"
#include "base/mailbox.h"
#include "base/non_copyable.h"
#include "service/jobserver/served_runs.h"
#include "service/jobserver/session.h"
#include "service/jobserver/token_pool.h"
#include "service/jobserver/values.h"
#include "sluice/governor.h"

namespace sluice {
class History;
}  // namespace sluice

namespace sluice::jobserver {

/// Serves tokens by GNU make's protocol. Each token is a permit of the governor, so the jobs of all
/// clients together fit the window as any others do.
///
/// Every client has its own fifo and one job that needs no token; whoever starts the client holds a
/// permit for that job (`slot_request`). The need of a token's work is learned by observing what
/// the client starts; until something is known, the client gets no token, except under `law: knee`,
/// where an unknown job is charged what is expected and then what it uses. When a client has gone,
/// all its permits are returned, whatever became of the bytes.
///
/// If memory runs short all the same, the youngest run that the clients have started is suspended
/// and resumed later (`LocalBrake`); no more tokens are granted until then.
///
/// Used on one thread, except for the hand-over of permits: poll `descriptor` and call `work`.
class Server : NonCopyable {
 public:
  /// Takes one line for people.
  using Say = std::function<void(const std::string&)>;

  /// `brake`: the memory that the emergency brake monitors; empty if it is off.
  Server(Governor& governor, std::shared_ptr<History> history, Say say, MemoryMeter brake = {},
         TokenWindow window = TokenWindow::shared);
  ~Server();

  /// Readable when `work` has something to do.
  int descriptor() const { return epoll_.get(); }
  /// Does what is due, without blocking; call it on this object's thread.
  void work();

  /// The request to submit to the governor before the client starts: the job that needs no token.
  JobRequest slot_request(const Request& client) const;

  /// Creates the fifo, without tokens. From now on the client is `id`, which must be unused and
  /// larger than all before. Returns the problem on failure.
  std::optional<std::string> open(std::uint64_t id, const Request& client);

  /// Call when the client has the permit for the job that needs no token and is about to start:
  /// puts spare tokens into its fifo, for a client that polls the fifo only once before its first
  /// job ends.
  void offer(std::uint64_t id);

  /// The client runs and may get tokens. `process` is the client or the process that starts it;
  /// `measured_slot` takes the memory share of the job without a token, several times a second.
  void begin(std::uint64_t id, pid_t process, std::function<void(const JobUsage&)> measured_slot);

  /// The client has gone, with everything it started: returns its permits and removes its fifo. If
  /// `outcome` is ok, its last runs completed; otherwise they were cut off. nullopt if there is no
  /// such client.
  std::optional<End> close(std::uint64_t id, Outcome outcome);

  std::optional<View> view(std::uint64_t id) const;  ///< nullopt if there is none.
  std::vector<View> views() const;                   ///< In order of arrival.
  /// Includes clients that have gone.
  Totals totals() const { return {granted_, lost_, runs_.suspended()}; }

  /// Sets the history to learn into and predict from.
  void learn_with(std::shared_ptr<History> history) { runs_.learn_with(std::move(history)); }
  /// Replaces the constructor's `brake`; suspended runs are resumed.
  void brake_with(MemoryMeter brake) { runs_.brake_with(std::move(brake)); }

 private:
  /// A permit for a token, or why there is none.
  struct Delivery {
    std::uint64_t client;
    JobId job;
    Admission admission;
  };

  /// All clients at one poll, and what the governor demands of them.
  struct Stock {
    std::vector<TokenClient> clients;
    TokenPressure pressure;
  };

  void unwatch(int descriptor);
  bool any_runs() const;
  void set_timer();
  void receive(Delivery delivery);
  Stock take_stock();
  void sample(TimePoint now);
  TokenClient look_at(Session& client);
  void carry_out(const TokenDecision& decision, Session& client);
  /// Adds as many tokens as fit now: unrequested tokens never wait in the queue. Returns whether
  /// all did.
  bool offer(Session& client, std::size_t tokens);
  /// While there is debt, every token that comes back wakes this thread, which then races with the
  /// client for it.
  void watch_for_debt(const Session& client);
  void ask(std::uint64_t id, Session& client);
  void withdraw_request(Session& client);

  Governor& governor_;
  const Say say_;
  const TokenWindow window_;
  const std::shared_ptr<Mailbox<Delivery>>
      mailbox_;  ///< Shared with deliveries, which may be late.
  const Descriptor epoll_, timer_;
  Sessions clients_;
  TokenPool pool_;
  Law law_ = Law::adaptive;               ///< At the last poll.
  std::uint64_t granted_ = 0, lost_ = 0;  ///< See `Totals`.
  ServedRuns runs_;
};

}  // namespace sluice::jobserver
