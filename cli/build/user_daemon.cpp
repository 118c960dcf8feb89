#include "cli/build/user_daemon.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptors.h"
#include "base/readiness.h"
#include "base/socket_places.h"
#include "base/text.h"
#include "base/user_folder.h"
#include "base/value_or_throw.h"
#include "client/answer.h"
#include "client/user_daemons.h"
#include "sensors/cgroup/memory_limits.h"

namespace sluice::cli {
namespace {
namespace fs = std::filesystem;

constexpr const char* kLockFile = "start.lock";
constexpr const char* kLogFile = "daemon.log";

/// A daemon for one build ends this long after its only client.
constexpr const char* kAloneIdleTime = "2s";

/// A build's own group with a memory limit may be removed after it, but not while a daemon is
/// there.
constexpr const char* kGroupIdleTime = "10s";

/// A larger log is moved aside before the next daemon starts.
constexpr off_t kMostLog = 1 << 20;

/// How long a daemon may take to start, and to stop.
constexpr Duration kStart = std::chrono::seconds(20);
constexpr Duration kStop = std::chrono::seconds(3);

/// A daemon that has not answered by then counts as hung, as for `PermitRequests`.
constexpr Duration kPatience = std::chrono::seconds(2);

/// How long another process may take to start one: its start, and some more.
constexpr Duration kOthersStart = kStart + std::chrono::seconds(5);

constexpr Duration kPollInterval = std::chrono::milliseconds(5);

/// Repeats `done` until it returns true or the time is over; false then.
template <typename Done>
bool wait_until(Done done, Duration longest) {
  const TimePoint until = Clock::now() + longest;
  while (!done()) {
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(kPollInterval);
  }
  return true;
}

std::optional<Client> reach(const std::string& socket) {
  auto reached = Client::reach(socket);
  auto* client = std::get_if<Client>(&reached);
  return client ? std::optional<Client>(std::move(*client)) : std::nullopt;
}

/// A daemon and whether it has answered.
struct Found {
  Client client;
  bool answers = true;
};

/// A connection that owes no answer any more, to a daemon that has not given it.
Found silent(Client client) {
  static_cast<void>(client.reconnect());
  return {std::move(client), false};
}

/// What a daemon has said in time.
struct Heard {
  bool is_silent = false;            ///< It has not answered, and the connection still stands.
  std::optional<ClientReply> reply;  ///< nullopt if there is none.
};

Heard ask(Client& client, std::string_view target) {
  if (client.send("GET", target)) return {};
  const TimePoint until = Clock::now() + kPatience;
  while (is_readable(client.descriptor(), until - Clock::now())) {
    auto answer = client.receive();
    if (!answer) continue;
    auto* reply = std::get_if<ClientReply>(&*answer);
    return {false, reply ? std::optional(std::move(*reply)) : std::nullopt};
  }
  return {true, std::nullopt};
}

/// The daemon of this connection; nullopt if it is about to end.
std::optional<Found> unless_ending(Client client) {
  const Heard heard = ask(client, "/readyz");
  if (heard.is_silent) return silent(std::move(client));
  const bool stays = heard.reply && heard.reply->status == 200;
  return stays ? std::optional(Found{std::move(client)}) : std::nullopt;
}

/// As `Client::reach`, and waits for a daemon that takes no further connection: many builds may
/// start at once.
std::variant<Client, NotReached> reach_patiently(const std::string& option) {
  std::variant<Client, NotReached> reached = NotReached{};
  const auto is_settled = [&] {
    reached = Client::reach(option);
    const auto* why = std::get_if<NotReached>(&reached);
    return !why || why->full.empty();
  };
  wait_until(is_settled, kPatience);
  return reached;
}

/// The daemon at this socket; nullopt if there is none, or it is about to end.
std::optional<Found> find_at(const std::string& socket) {
  auto reached = reach_patiently(socket);
  if (auto* client = std::get_if<Client>(&reached)) return unless_ending(std::move(*client));
  const std::string& full = std::get<NotReached>(reached).full;
  return full.empty() ? std::nullopt : std::optional(Found{Client::closed(socket, full), false});
}

/// A lock on starting daemons in a folder; released at the end. Throws if it cannot be taken.
class StartLock {
 public:
  explicit StartLock(const PrivateFolder& folder)
      : file_(openat(folder.descriptor(), kLockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                     S_IRUSR | S_IWUSR)) {
    const std::string path = folder.path() + "/" + kLockFile;
    if (!file_) throw std::runtime_error(unopened_file(path, errno));
    const auto takes = [this] { return flock(file_.get(), LOCK_EX | LOCK_NB) == 0; };
    if (wait_until(takes, kOthersStart)) return;
    throw std::runtime_error(path +
                             ": another process has been starting a daemon for too long; see " +
                             kLogFile + " there");
  }

 private:
  Descriptor file_;
};

/// The log of the folder's daemons, open for appending; -1 with errno.
int open_log(const PrivateFolder& folder) {
  struct stat facts {};
  const bool is_large = fstatat(folder.descriptor(), kLogFile, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
                        facts.st_size > kMostLog;
  if (is_large) {
    renameat(folder.descriptor(), kLogFile, folder.descriptor(),
             (std::string(kLogFile) + ".old").c_str());
  }
  return openat(folder.descriptor(), kLogFile,
                O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

/// The last line of a log after so many bytes, without the daemon's pid and the command's name.
std::string last_line(const std::string& path, off_t from) {
  std::ifstream file(path);
  file.seekg(from);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  constexpr std::string_view kName = "sluice serve: ", kPidEnd = "] ";
  const std::size_t pid = last.starts_with('[') ? last.find(kPidEnd) : last.npos;
  if (pid != last.npos) last.erase(0, pid + kPidEnd.size());
  if (last.starts_with(kName)) last.erase(0, kName.size());
  return last.empty() ? "it ended before it could log why" : last;
}

struct Started {
  DetachedProcess process;
  Client client;
};

/// Starts a daemon and waits until it serves. `further`: arguments of `sluice serve`.
Started start(const PrivateFolder& folder, const std::string& socket,
              const std::vector<std::string>& further) {
  const std::string log_path = folder.path() + "/" + kLogFile;
  const Descriptor log(open_log(folder));
  if (!log) throw std::runtime_error(unopened_file(log_path, errno));
  const off_t logged = lseek(log.get(), 0, SEEK_END);
  std::vector<std::string> argv{own_program(), "serve", "--private", "--socket", socket};
  argv.insert(argv.end(), further.begin(), further.end());
  DetachedProcess daemon = value_or_throw(DetachedProcess::start(argv, log.get()));
  wait_until([&] { return reach(socket) || daemon.has_ended(); }, kStart);
  if (auto client = reach(socket)) return Started{std::move(daemon), *std::move(client)};
  if (daemon.has_ended()) {
    throw std::runtime_error("the daemon did not start: " + last_line(log_path, logged));
  }
  daemon.terminate(kStop);
  throw std::runtime_error("the daemon did not start in time; " + log_path + " may say why");
}

/// Removes what daemons that were killed have left. Holding the lock, so that none is starting.
void remove_stale_files() {
  std::error_code ignored;
  for (const FurtherDaemon& each : further_daemons()) {
    if (each.state != FurtherDaemon::State::killed) continue;
    fs::remove_all(each.place, ignored);
    fs::remove(each.place + ".lock", ignored);
  }
}

using GroupLimits = std::optional<std::vector<GroupLimit>>;

/// The daemon at this socket of this user, which may have been started by another process
/// meanwhile. It will have the memory limits of this process.
Found find_or_start(const PrivateFolder& folder, const std::string& socket,
                    const GroupLimits& limits) {
  const StartLock lock(folder);
  if (auto found = find_at(socket)) return *std::move(found);
  // One may be about to end.
  wait_until([&] { return !reach(socket); }, kStop);
  // A second daemon could not take the socket from one that still serves there.
  if (auto ending = reach(socket)) {
    const bool is_silent = ask(*ending, "/readyz").is_silent;
    return is_silent ? silent(*std::move(ending)) : Found{*std::move(ending)};
  }
  remove_stale_files();
  const bool is_in_a_group = limits && !limits->empty() && limits->front().is_own;
  const char* const idle_time = is_in_a_group ? kGroupIdleTime : kIdleTime;
  return Found{start(folder, socket, {"--exit-when-idle", idle_time}).client};
}

/// The daemon of this connection; throws why it lets this user do nothing, if it says so.
Found check_is_allowed(Client daemon) {
  constexpr int kForbidden = 403;
  const Heard heard = ask(daemon, "/v1/build");
  if (heard.is_silent) return silent(std::move(daemon));
  const bool is_forbidden = heard.reply && heard.reply->status == kForbidden;
  const auto why = is_forbidden ? read_error(*heard.reply) : std::nullopt;
  if (why) throw std::runtime_error(why->message + "; or build with --alone");
  return Found{std::move(daemon)};
}

/// The daemon that is reachable without starting one; nullopt if there is none that stays.
std::optional<Found> find_running(const std::string& option) {
  auto reached = reach_patiently(option);
  if (auto* client = std::get_if<Client>(&reached)) {
    const bool is_started = client->place() == user_daemon_socket();
    return is_started ? unless_ending(std::move(*client)) : check_is_allowed(std::move(*client));
  }
  const NotReached& why = std::get<NotReached>(reached);
  if (!why.full.empty()) return Found{Client::closed(option, why.full), false};
  // Another build has told this one of a daemon that was started for it, and is gone.
  if (option.empty() && why.is_gone && is_further_socket(environment_text("SLUICE_SOCKET"))) {
    unsetenv("SLUICE_SOCKET");
    return find_running(option);
  }
  if (is_socket_named(option) || why.is_forbidden) throw std::runtime_error(why.message);
  return std::nullopt;
}

/// The memory limits that hold for the process that serves a connection; nullopt if it is not
/// visible here.
GroupLimits limits_of_daemon(const Client& daemon) {
  const auto peer = credentials_of_peer(daemon.descriptor());
  return peer && peer->pid > 0 ? memory_limits_of(peer->pid) : std::nullopt;
}

/// The socket of this user's daemon for the builds that have these memory limits, where another of
/// the user's daemons has others.
std::string group_socket(const std::vector<GroupLimit>& limits) {
  struct stat facts {};
  const bool has_group = !limits.empty() && stat(limits.front().folder.c_str(), &facts) == 0;
  return user_folder() + "/" + kGroupPrefix + (has_group ? std::to_string(facts.st_ino) : "none") +
         kSocketSuffix;
}

/// A limit that holds for one process and not for the other; nullptr if there is none, or it may
/// not be known.
const GroupLimit* limit_missing_in(const GroupLimits& others, const GroupLimits& limits) {
  if (!others || !limits) return nullptr;
  const auto holds_for_both = [&](const GroupLimit& each) {
    return std::ranges::find(*others, each.folder, &GroupLimit::folder) != others->end();
  };
  const auto first = std::ranges::find_if_not(*limits, holds_for_both);
  return first == limits->end() ? nullptr : &*first;
}

bool are_same(const GroupLimits& one, const GroupLimits& other) {
  return !limit_missing_in(one, other) && !limit_missing_in(other, one);
}

void warn_of_limit(const GroupLimit& limit, const Client& daemon, const ToolReporter& reporter) {
  reporter.say("warning", "this build may use " + bytes_text(limit.limit) + " (" + limit.folder +
                              "), which the daemon at " + daemon.place() +
                              " does not know: processes may be killed for memory; build with "
                              "--alone to keep within it");
}

void mention_start(const PrivateFolder& folder, const char* for_what,
                   const ToolReporter& reporter) {
  reporter.mention("daemon", std::string("starting a daemon") + for_what + "; its log is " +
                                 folder.path() + "/" + kLogFile);
}

/// The daemon of this user that has these memory limits; `running`: the one in the usual place.
Found find_own_daemon(std::optional<Found> running, const GroupLimits& limits,
                      const ToolReporter& reporter) {
  const PrivateFolder folder = value_or_throw(PrivateFolder::open(user_folder()));
  const std::string usual = user_daemon_socket();
  const std::string limited = limits ? group_socket(*limits) : usual;
  // One that serves this group already, from when the one in the usual place was elsewhere.
  auto own = limited == usual ? std::nullopt : find_at(limited);
  if (own) return *std::move(own);
  if (running && are_same(limits_of_daemon(running->client), limits)) return *std::move(running);
  if (!running) {
    mention_start(folder, "", reporter);
    Found found = find_or_start(folder, usual, limits);
    // Another build, in another group, may have started it meanwhile.
    if (are_same(limits_of_daemon(found.client), limits)) return found;
  }
  mention_start(folder, " for this memory limit", reporter);
  return find_or_start(folder, limited, limits);
}

void warn_if_silent(const Found& found, const ToolReporter& reporter) {
  if (found.answers) return;
  const auto peer = credentials_of_peer(found.client.descriptor());
  const bool is_seen = peer && peer->pid > 0;
  const std::string process = is_seen ? ", process " + std::to_string(peer->pid) + "," : "";
  reporter.say("warning", "the daemon" + process +
                              " does not answer: the build continues ungoverned (" +
                              found.client.place() + ")");
}

}  // namespace

BuildDaemon BuildDaemon::find(const BuildArguments& arguments, const ToolReporter& reporter) {
  if (arguments.governed == BuildArguments::Governed::alone) {
    return start_for_one(arguments, reporter);
  }
  std::optional<Found> running = find_running(arguments.socket);
  const GroupLimits limits = memory_limits_of(getpid());
  const bool is_users = running && running->client.place() == user_daemon_socket();
  const bool is_others = running && (!is_users || is_socket_named(arguments.socket));
  if (is_others) {
    const GroupLimits seen = limits_of_daemon(running->client);
    const GroupLimit* const missing = limit_missing_in(seen, limits);
    if (missing) warn_of_limit(*missing, running->client, reporter);
  }
  Found found =
      is_others ? *std::move(running) : find_own_daemon(std::move(running), limits, reporter);
  warn_if_silent(found, reporter);
  BuildDaemon daemon(std::move(found.client));
  daemon.answers_ = found.answers;
  return daemon;
}

bool BuildDaemon::is_in_a_usual_place() const {
  const auto places = client_places("");
  return std::ranges::find(places, client_.place()) != places.end();
}

BuildDaemon BuildDaemon::start_for_one(const BuildArguments& arguments,
                                       const ToolReporter& reporter) {
  const PrivateFolder folder = value_or_throw(PrivateFolder::open(user_folder()));
  mention_start(folder, " for this build", reporter);
  const StartLock lock(folder);
  remove_stale_files();
  std::string own = folder.path() + "/" + kAlonePrefix + "XXXXXX";
  if (!mkdtemp(own.data())) throw std::runtime_error(unopened_file(own, errno));
  std::vector<std::string> further{"--exit-when-idle", kAloneIdleTime};
  const auto add = [&](const char* option, const std::string& path) {
    if (!path.empty()) further.insert(further.end(), {option, fs::absolute(path).string()});
  };
  add("--config", arguments.config);
  add("--state-dir", arguments.state_dir);
  try {
    Started started = start(folder, own + "/sluice.sock", further);
    return BuildDaemon(std::move(started.client), std::move(started.process), own);
  } catch (const std::runtime_error&) {
    std::error_code ignored;
    fs::remove_all(own, ignored);
    throw;
  }
}

BuildDaemon::~BuildDaemon() {
  if (folder_.empty()) return;
  if (alone_) alone_->terminate(kStop);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace sluice::cli
