#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/jobserver/token_pool.h"
#include "service/jobserver/values.h"
#include "sluice/governor.h"

namespace sluice {

class History;

/// Whose window the tokens are taken from.
enum class TokenWindow {
  shared,  ///< That of others, too, who must see what is left of it.
  own,     ///< That of the clients alone.
};

/// Serves the tokens of GNU make's protocol, each of them a permit of the governor, so that the
/// jobs of all clients together fit the window as any others do.
///
/// Every client has a fifo of its own and one job that needs no token, for which whoever starts the
/// client holds a permit (`slot_request`). What a token's work needs is learned by watching what
/// the client starts; until something is known of it, it gets no token. A client that is gone has
/// all its permits returned, whatever became of the bytes.
///
/// Where memory runs short all the same, the youngest of what the clients have started is suspended
/// and goes on later (`RunBrake`); no more tokens are given until it does.
///
/// Lives on one thread, but for the hand-over of permits: poll `descriptor` and call `work`.
class Jobserver {
 public:
  /// One line for people.
  using Say = std::function<void(const std::string&)>;

  /// `brake`: the memory that the emergency brake watches; empty: it is off.
  Jobserver(Governor& governor, std::shared_ptr<History> history, Say say, MemoryMeter brake = {},
            TokenWindow window = TokenWindow::shared);
  ~Jobserver();
  Jobserver(const Jobserver&) = delete;
  Jobserver& operator=(const Jobserver&) = delete;

  /// Readable when there is something to do.
  int descriptor() const;
  /// Does it, without waiting; to be called on the thread that this lives on.
  void work();

  /// What to ask the governor for before the client starts: the job it may run without a token.
  JobRequest slot_request(const JobserverRequest& client) const;

  /// Makes the fifo, without tokens; the client is named `id` from here on, which must be unused
  /// and larger than all before. What is wrong otherwise.
  std::optional<std::string> open(std::uint64_t id, const JobserverRequest& client);

  /// The client has its permit for the job that needs no token and is about to start: puts what is
  /// to spare into its fifo, for a client that looks there only once before its first job ends.
  void offer(std::uint64_t id);

  /// The client runs: it may get tokens. `process` is it, or what starts it; `measured_slot` takes
  /// the memory that falls to the job without a token, several times a second.
  void begin(std::uint64_t id, pid_t process, std::function<void(const JobUsage&)> measured_slot);

  /// The client is gone, with all it started: its permits are returned and its fifo is removed.
  /// What it ran last has ended with it if it ended well, and was cut off otherwise. Nothing if
  /// there is none of that name.
  std::optional<JobserverEnd> close(std::uint64_t id, Outcome outcome);

  std::optional<JobserverView> view(std::uint64_t id) const;  ///< None: there is none.
  std::vector<JobserverView> views() const;                   ///< In order of arrival.
  JobserverTotals totals() const;                             ///< Of clients that are gone too.

  /// What is learned from here on, and predicted by.
  void learn_with(std::shared_ptr<History> history);
  /// As at the beginning; what is suspended goes on.
  void brake_with(MemoryMeter brake);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What tokens have to give up: points in use beyond the window, at once; and where jobs wait for
/// the window that are no tokens, what the first one in line needs, but for half the window, which
/// the tokens may keep. `asked` and `held` are the permits that pend for tokens and the points that
/// tokens hold. Pure.
TokenPressure token_pressure(const Status& status, std::size_t asked, Points held);

/// What tokens may hold that lie idle, of which `idle` is what they hold now: all that nothing else
/// uses, and half of that where others must see room to take work for. Nothing while any job waits
/// that is no token, nothing may start, or the window grows by what is held (`Law::rfc`): it must
/// not grow by what nobody uses. Pure.
Points token_spare(const Status& status, std::size_t asked, Points idle, TokenWindow window);

}  // namespace sluice
