#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <variant>

#include "client/client.h"
#include "sluice/units.h"

namespace sluice::cli {

/// What a command does while there is no daemon.
enum class NoDaemon {
  usual,  ///< Waits for one that is expected, and otherwise fails.
  wait,   ///< Waits, whether one is expected or not.
  fail,   ///< Fails at once.
  run     ///< Goes on without one.
};

/// How long a daemon that is expected may be gone: as long as a restart may take.
inline constexpr Duration kReturn = std::chrono::seconds(30);

/// `--no-daemon`, for commands that wait.
enum class MayRun { no, yes };
void add_no_daemon(CLI::App& command, NoDaemon& manner, MayRun may_run);

/// Whether a daemon is meant to be there: somebody named its socket (`option`, SLUICE_SOCKET), or a
/// socket or lock file lies where one would be. Whoever never set one up need not wait for it.
bool is_expected(const std::string& option);

/// A connection to the daemon. Where it is gone this waits as the manner says, at most `patience`
/// and with a line on standard error that `name` begins; then, why there is none.
std::variant<Client, std::string> reach_daemon(const std::string& option, NoDaemon manner,
                                               Duration patience, const std::string& name);

}  // namespace sluice::cli
