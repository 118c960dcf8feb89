#pragma once

#include <string>
#include <variant>

#include "client/client.h"
#include "sluice/units.h"

namespace CLI {
class App;
}  // namespace CLI

namespace sluice::cli {

/// What a command does while there is no daemon.
enum class NoDaemon {
  usual,  ///< Waits if a daemon is expected; otherwise fails.
  wait,   ///< Waits, expected or not.
  fail,   ///< Fails at once.
  run     ///< Runs without one.
};

/// How long an expected daemon may be gone: the time a restart may take.
inline constexpr Duration kRestartTime = std::chrono::seconds(30);

/// `--no-daemon`, for commands that wait.
enum class MayRun { no, yes };
void add_no_daemon(CLI::App& command, NoDaemon& manner, MayRun may_run);

/// Whether a daemon should be there: the user named its socket (`option`, SLUICE_SOCKET), or a
/// socket or lock file exists in a default place. Hosts without a daemon set up then need not wait
/// for one.
bool is_expected(const std::string& option);

/// A connection to the daemon, or why there is none. If it is gone, waits as `manner` says, at most
/// `patience`, and says so in a line on standard error that starts with `name`.
std::variant<Client, std::string> reach_daemon(const std::string& option, NoDaemon manner,
                                               Duration patience, const std::string& name);

}  // namespace sluice::cli
