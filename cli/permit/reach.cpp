#include "cli/permit/reach.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>
#include <utility>
#include <vector>

#include "base/socket_places.h"
#include "base/text.h"
#include "base/user_folder.h"

namespace sluice::cli {
namespace {

/// How often to retry.
constexpr Duration kFirstConnectPause = std::chrono::milliseconds(20);
constexpr Duration kLongestConnectPause = std::chrono::milliseconds(500);

bool is_there(const std::string& path) {
  struct stat ignored {};
  return stat(path.c_str(), &ignored) == 0;
}

bool waits(NoDaemon manner, const std::string& option) {
  if (manner == NoDaemon::usual) return is_expected(option);
  return manner == NoDaemon::wait;
}

}  // namespace

void add_no_daemon(CLI::App& command, NoDaemon& manner, MayRun may_run) {
  std::vector<std::string> words{"wait", "fail"};
  std::string help = "Without a daemon: wait for one up to 30 s, or fail at once";
  if (may_run == MayRun::yes) {
    words.emplace_back("run");
    help += ", or run\nthe command without one";
  }
  const auto take = [&manner](const std::string& word) {
    manner = word == "wait" ? NoDaemon::wait : word == "run" ? NoDaemon::run : NoDaemon::fail;
  };
  command
      .add_option_function<std::string>("--no-daemon", take,
                                        help + "; default: wait only if one is expected")
      ->check(CLI::IsMember(words))
      ->type_name("MANNER");
}

bool is_expected(const std::string& option) {
  if (is_socket_named(option)) return true;
  const auto places = client_places(option);
  // Only `sluice build` starts that one again.
  const std::string started = trusted_user_daemon_socket();
  return std::any_of(places.begin(), places.end(), [&](const std::string& place) {
    return place != started && (is_there(place) || is_there(place + ".lock"));
  });
}

std::variant<Client, std::string> reach_daemon(const std::string& option, NoDaemon manner,
                                               Duration patience, const std::string& name) {
  const TimePoint until = Clock::now() + patience;
  bool said = false;
  for (Duration pause = kFirstConnectPause;; pause = std::min(2 * pause, kLongestConnectPause)) {
    auto reached = Client::reach(option);
    if (auto* client = std::get_if<Client>(&reached)) return std::move(*client);
    const NotReached& why = std::get<NotReached>(reached);
    if (!why.is_gone || !waits(manner, option) || Clock::now() >= until) {
      return why.with_further_daemons(option);
    }
    if (!std::exchange(said, true)) {
      // Rounded up: some of the user's time limit has already passed.
      std::cerr << name << ": waiting up to " << duration_text(patience, Precision::seconds_up)
                << " for the daemon" << std::endl;
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace sluice::cli
