#include "cli/build/user_daemon.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptors.h"
#include "base/socket_places.h"
#include "base/text.h"
#include "base/user_folder.h"
#include "client/answer.h"
#include "sensors/cgroup/memory_limits.h"

namespace sluice::cli {
namespace {
namespace fs = std::filesystem;

constexpr const char* kLockFile = "start.lock";
constexpr const char* kLogFile = "daemon.log";
constexpr const char* kAlonePrefix = "alone-";
constexpr const char* kGroupPrefix = "group-";  ///< Of the sockets of daemons for one memory limit.
constexpr const char* kSocketSuffix = ".sock";

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

/// Whether it is not about to end.
bool is_staying(Client& client) {
  const auto answer = client.call("GET", "/readyz");
  const auto* reply = std::get_if<ClientReply>(&answer);
  return reply && reply->status == 200;
}

/// A lock on starting daemons in a folder; released at the end.
class StartLock {
 public:
  explicit StartLock(const PrivateFolder& folder)
      : file_(openat(folder.descriptor(), kLockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                     S_IRUSR | S_IWUSR)) {
    if (!file_) {
      problem_ = unopened_file(folder.path() + "/" + kLockFile, errno);
    } else if (!wait_until([this] { return flock(file_.get(), LOCK_EX | LOCK_NB) == 0; },
                           kOthersStart)) {
      problem_ = folder.path() + "/" + kLockFile +
                 ": another process has been starting a daemon for too long; see " + kLogFile +
                 " there";
    }
  }

  /// Empty if this process holds it.
  const std::string& problem() const { return problem_; }

 private:
  Descriptor file_;
  std::string problem_;
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

/// The last line of a log after so many bytes, without the name of the command.
std::string last_line(const std::string& path, off_t from) {
  std::ifstream file(path);
  file.seekg(from);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  constexpr std::string_view kName = "sluice serve: ";
  if (last.starts_with(kName)) last.erase(0, kName.size());
  return last.empty() ? "it ended before it could log why" : last;
}

struct Started {
  DetachedProcess process;
  Client client;
};

/// Starts a daemon and waits until it serves. `further`: arguments of `sluice serve`.
std::variant<Started, std::string> start(const PrivateFolder& folder, const std::string& socket,
                                         const std::vector<std::string>& further) {
  const std::string log_path = folder.path() + "/" + kLogFile;
  const int log = open_log(folder);
  if (log < 0) return unopened_file(log_path, errno);
  const off_t logged = lseek(log, 0, SEEK_END);
  std::vector<std::string> argv{own_program(), "serve", "--private", "--socket", socket};
  argv.insert(argv.end(), further.begin(), further.end());
  auto process = DetachedProcess::start(argv, log);
  close(log);
  if (auto* problem = std::get_if<std::string>(&process)) return std::move(*problem);
  DetachedProcess& daemon = std::get<DetachedProcess>(process);
  wait_until([&] { return reach(socket) || daemon.has_ended(); }, kStart);
  if (auto client = reach(socket)) return Started{std::move(daemon), *std::move(client)};
  if (daemon.has_ended()) return "the daemon did not start: " + last_line(log_path, logged);
  daemon.terminate(kStop);
  return "the daemon did not start in time; " + log_path + " may say why";
}

/// Whether a socket of this user's is left of a daemon that was killed.
bool is_left(const std::string& socket) {
  const auto address = unix_address(socket);
  const Descriptor trying(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!address || !trying) return false;
  const auto* const place = reinterpret_cast<const sockaddr*>(&*address);
  const bool is_refused = connect(trying.get(), place, sizeof *address) != 0;
  // Any other error, such as that of a full queue, comes from a daemon that lives.
  return is_refused && (errno == ECONNREFUSED || errno == ENOENT);
}

/// Removes what daemons that were killed have left. Holding the lock, so that none is starting.
void remove_stale_files(const PrivateFolder& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.path(), ignored)) {
    const std::string name = entry.path().filename().string();
    const std::string path = entry.path().string();
    if (name.starts_with(kAlonePrefix) && is_left(path + "/sluice.sock")) {
      fs::remove_all(entry.path(), ignored);
    } else if (name.starts_with(kGroupPrefix) && name.ends_with(kSocketSuffix) && is_left(path)) {
      fs::remove(entry.path(), ignored);
      fs::remove(path + ".lock", ignored);
    }
  }
}

using GroupLimits = std::optional<std::vector<GroupLimit>>;

/// The daemon at this socket of this user, which may have been started by another process
/// meanwhile. It will have the memory limits of this process.
std::variant<Client, std::string> find_or_start(const PrivateFolder& folder,
                                                const std::string& socket,
                                                const GroupLimits& limits) {
  const StartLock lock(folder);
  if (!lock.problem().empty()) return lock.problem();
  if (auto client = reach(socket)) {
    if (is_staying(*client)) return *std::move(client);
    wait_until([&] { return !reach(socket); }, kStop);
  }
  remove_stale_files(folder);
  const bool is_in_a_group = limits && !limits->empty() && limits->front().is_own;
  auto started =
      start(folder, socket, {"--exit-when-idle", is_in_a_group ? kGroupIdleTime : kIdleTime});
  if (auto* problem = std::get_if<std::string>(&started)) return std::move(*problem);
  return std::move(std::get<Started>(started).client);
}

/// Why the daemon lets this user do nothing; empty if it does not say so.
std::string refusal_of(Client& daemon) {
  constexpr int kForbidden = 403;
  const auto answer = daemon.call("GET", "/v1/build");
  const auto* reply = std::get_if<ClientReply>(&answer);
  const auto why = reply && reply->status == kForbidden ? read_error(*reply) : std::nullopt;
  return why ? why->message + "; or build with --alone" : "";
}

/// The daemon that is reachable without starting one; nullopt if there is none that stays.
std::variant<std::optional<Client>, std::string> find_running(const std::string& option) {
  auto reached = Client::reach(option);
  if (auto* client = std::get_if<Client>(&reached)) {
    const bool is_started = client->place() == user_daemon_socket();
    if (is_started && !is_staying(*client)) return std::nullopt;
    if (auto refusal = is_started ? std::string() : refusal_of(*client); !refusal.empty())
      return refusal;
    return std::move(*client);
  }
  NotReached& why = std::get<NotReached>(reached);
  if (is_socket_named(option) || why.is_forbidden) return std::move(why.message);
  return std::nullopt;
}

/// The memory limits that hold for the process that serves a connection; nullopt if it is not
/// visible here.
GroupLimits limits_of_daemon(const Client& daemon) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known =
      getsockopt(daemon.descriptor(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0;
  return known ? memory_limits_of(peer.pid) : std::nullopt;
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
std::variant<Client, std::string> find_own_daemon(std::optional<Client> running,
                                                  const GroupLimits& limits,
                                                  const ToolReporter& reporter) {
  auto opened = PrivateFolder::open(user_folder());
  if (auto* problem = std::get_if<std::string>(&opened)) return std::move(*problem);
  const PrivateFolder& folder = std::get<PrivateFolder>(opened);
  const std::string usual = user_daemon_socket();
  const std::string limited = limits ? group_socket(*limits) : usual;
  // One that serves this group already, from when the one in the usual place was elsewhere.
  auto own = limited == usual ? std::nullopt : reach(limited);
  if (own && is_staying(*own)) return *std::move(own);
  if (running && are_same(limits_of_daemon(*running), limits)) return *std::move(running);
  if (!running) {
    mention_start(folder, "", reporter);
    auto found = find_or_start(folder, usual, limits);
    Client* const client = std::get_if<Client>(&found);
    // Another build, in another group, may have started it meanwhile.
    if (!client || are_same(limits_of_daemon(*client), limits)) return found;
  }
  mention_start(folder, " for this memory limit", reporter);
  return find_or_start(folder, limited, limits);
}

struct Alone {
  Started started;
  std::string folder;
};

std::variant<Alone, std::string> start_alone(const PrivateFolder& folder,
                                             const BuildArguments& arguments) {
  const StartLock lock(folder);
  if (!lock.problem().empty()) return lock.problem();
  remove_stale_files(folder);
  std::string own = folder.path() + "/" + kAlonePrefix + "XXXXXX";
  if (!mkdtemp(own.data())) return unopened_file(own, errno);
  std::vector<std::string> further{"--exit-when-idle", kAloneIdleTime};
  const auto add = [&](const char* option, const std::string& path) {
    if (!path.empty()) further.insert(further.end(), {option, fs::absolute(path).string()});
  };
  add("--config", arguments.config);
  add("--state-dir", arguments.state_dir);
  auto started = start(folder, own + "/sluice.sock", further);
  if (auto* done = std::get_if<Started>(&started)) return Alone{std::move(*done), own};
  std::error_code ignored;
  fs::remove_all(own, ignored);
  return std::move(std::get<std::string>(started));
}

}  // namespace

std::variant<BuildDaemon, std::string> BuildDaemon::find(const BuildArguments& arguments,
                                                         const ToolReporter& reporter) {
  if (arguments.governed == BuildArguments::Governed::alone) {
    return start_for_one(arguments, reporter);
  }
  auto found = find_running(arguments.socket);
  if (auto* problem = std::get_if<std::string>(&found)) return std::move(*problem);
  auto& running = std::get<std::optional<Client>>(found);
  const GroupLimits limits = memory_limits_of(getpid());
  const bool is_users = running && running->place() == user_daemon_socket();
  if (running && (!is_users || is_socket_named(arguments.socket))) {
    const GroupLimits seen = limits_of_daemon(*running);
    const GroupLimit* const missing = limit_missing_in(seen, limits);
    if (missing) warn_of_limit(*missing, *running, reporter);
    return BuildDaemon(*std::move(running));
  }
  auto own = find_own_daemon(std::move(running), limits, reporter);
  if (auto* problem = std::get_if<std::string>(&own)) return std::move(*problem);
  return BuildDaemon(std::move(std::get<Client>(own)));
}

bool BuildDaemon::is_in_a_usual_place() const {
  const auto places = client_places("");
  return std::ranges::find(places, client_.place()) != places.end();
}

std::variant<BuildDaemon, std::string> BuildDaemon::start_for_one(const BuildArguments& arguments,
                                                                  const ToolReporter& reporter) {
  auto opened = PrivateFolder::open(user_folder());
  if (auto* problem = std::get_if<std::string>(&opened)) return std::move(*problem);
  const PrivateFolder& folder = std::get<PrivateFolder>(opened);
  mention_start(folder, " for this build", reporter);
  auto alone = start_alone(folder, arguments);
  if (auto* problem = std::get_if<std::string>(&alone)) return std::move(*problem);
  auto& [started, own] = std::get<Alone>(alone);
  return BuildDaemon(std::move(started.client), std::move(started.process), own);
}

BuildDaemon::~BuildDaemon() {
  if (folder_.empty()) return;
  if (alone_) alone_->terminate(kStop);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace sluice::cli
