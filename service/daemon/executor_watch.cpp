#include "service/daemon/executor_watch.h"

#include <unistd.h>

#include <set>
#include <sstream>
#include <utility>

#include "base/suggest.h"
#include "base/text.h"
#include "sensors/cgroup/find_executor.h"
#include "service/http/peer_credentials.h"
#include "sluice/embed.h"

namespace sluice {
namespace {

constexpr const char* kNobodyAttached =
    "no executor has attached its cgroup yet: run `sluice attach` in its container";

ApiError bad_attachment(std::string message) {
  return {422, "bad_attachment", std::move(message), "directories"};
}

/// "descriptor 2 (memory, /sys/fs/cgroup/memory)"
std::string name_of(std::size_t at, const SentDirectory& directory) {
  return "descriptor " + std::to_string(at + 1) + " (" +
         (directory.controllers.empty() ? "v2" : directory.controllers) + ", " +
         quote_text(directory.path) + ")";
}

std::string name_of(const http::Peer& peer) {
  const std::string user = peer.user ? std::to_string(*peer.user) : "?";
  // A process of another PID namespace has no pid here.
  return "user " + user + (peer.pid > 0 ? ", process " + std::to_string(peer.pid) : "");
}

/// A controller that two directories name; empty if there is none.
std::string named_twice(const std::vector<GroupFolder>& folders) {
  std::set<std::string> seen;
  for (const GroupFolder& folder : folders) {
    std::istringstream names(folder.controllers.empty() ? "v2" : folder.controllers);
    for (std::string name; std::getline(names, name, ',');) {
      if (!seen.insert(name).second) return name;
    }
  }
  return "";
}

bool is_same(const ExecutorGroup& one, const ExecutorGroup& other) {
  return one.source == other.source && one.problem == other.problem &&
         is_same_group(one.folders, other.folders) && one.memory_limit == other.memory_limit &&
         one.cpus == other.cpus;
}

}  // namespace

ExecutorWatch::ExecutorWatch(ExecutorOptions options, Log log)
    : options_(std::move(options)), log_(std::move(log)), network_(http::own_network()) {
  if (options_.source == ExecutorOptions::Source::own) {
    cpus_ = usable_cpus();
    return;
  }
  group_ = std::make_shared<const ExecutorGroup>();
  poll(Clock::now());
}

bool ExecutorWatch::takes(ExecutorOptions::Source source) const {
  return options_.source == source || options_.source == ExecutorOptions::Source::automatic;
}

std::optional<ApiError> ExecutorWatch::refuse(const http::Peer& peer) const {
  if (!takes(ExecutorOptions::Source::attach)) {
    return ApiError{409, "not_a_sidecar",
                    group_
                        ? "this daemon does not accept attachments: set `sensors.cgroup.source` to "
                          "`attach` or `auto` and restart it"
                        : "this daemon watches its own cgroup: set `sensors.cgroup.source: "
                          "attach` and restart it"};
  }
  if (options_.attach_from == ExecutorOptions::From::anywhere) return std::nullopt;
  if (!peer.network || !network_) {
    return ApiError{
        403, "unknown_network",
        "this kernel cannot tell a client's network namespace (Linux 5.14 can), so the client may "
        "be in another pod: to let it attach, set `sensors.cgroup.attach_from: anywhere`"};
  }
  if (*peer.network == *network_) return std::nullopt;
  return ApiError{
      403, "another_pod",
      "the process is in another network namespace, so not in this daemon's pod: to let it attach, "
      "set `sensors.cgroup.attach_from: anywhere` and restart the daemon"};
}

std::optional<ApiError> ExecutorWatch::attach(const http::Peer& peer,
                                              const std::vector<SentDirectory>& directories,
                                              http::ReceivedDescriptors& descriptors) {
  if (auto refused = refuse(peer)) {
    std::string line = "attach refused to " + name_of(peer) + ": " + refused->message;
    if (line != last_refusal_) log_(LogLevel::warning, line);
    last_refusal_ = std::move(line);
    return refused;
  }
  if (descriptors.too_many()) {
    return bad_attachment(
        "too many descriptors: at most " + std::to_string(http::ReceivedDescriptors::kMost) +
        " with a request, fewer while other requests with descriptors are incomplete");
  }
  if (descriptors.count() != directories.size()) {
    const std::string came =
        descriptors.count() == 0 ? "no descriptor" : count_text(descriptors.count(), "descriptor");
    return bad_attachment(came + " came with the request, for " +
                          std::to_string(directories.size()) +
                          " directories: send them with the first byte (SCM_RIGHTS)");
  }
  std::vector<GroupFolder> folders;
  const std::vector<int> taken = descriptors.release();
  for (std::size_t at = 0; at < taken.size(); ++at) {
    folders.push_back({directories[at].controllers,
                       std::make_shared<HeldFolder>(taken[at], printable(directories[at].path))});
  }
  for (std::size_t at = 0; at < folders.size(); ++at) {
    if (const auto wrong = wrong_with(folders[at])) {
      return bad_attachment(name_of(at, directories[at]) + " " + *wrong);
    }
  }
  if (const std::string twice = named_twice(folders); !twice.empty()) {
    return bad_attachment(twice + " is named by two directories");
  }
  if (is_same_group(folders, group_->folders)) return std::nullopt;
  const std::string replaced = group_->source == GroupSource::attach && !why_gone(*group_)
                                   ? ", in place of " + group_->folders.front().held->path() +
                                         ", which still exists: run one sidecar per executor"
                                   : "";
  judge(executor_group(GroupSource::attach, std::move(folders)));
  log_(replaced.empty() ? LogLevel::info : LogLevel::warning,
       "executor: " + name_of(peer) + " attached its cgroup " +
           group_->folders.front().held->path() + replaced);
  return std::nullopt;
}

void ExecutorWatch::judge(ExecutorGroup group) {
  group_ = std::make_shared<const ExecutorGroup>(std::move(group));
  cpus_ = usable_cpus(group_);
  rejected_.reset();
}

void ExecutorWatch::reject(std::shared_ptr<const ExecutorGroup> before, std::string problem) {
  auto rejected = group_;
  ExecutorGroup none;
  none.problem = std::move(problem);
  const bool is_there = before && before != group_ && before->source && !why_gone(*before);
  judge(is_there ? *before : std::move(none));
  rejected_ = std::move(rejected);
}

ExecutorGroup ExecutorWatch::found() const {
  using Source = ExecutorOptions::Source;
  std::string problem;
  const auto add_problem = [&](const std::string& what) {
    problem += (problem.empty() ? "" : "; ") + what;
  };
  if (takes(Source::attach)) add_problem(kNobodyAttached);
  const auto attempt = [&](Source source, const std::string& needed,
                           const char* key) -> std::optional<ExecutorGroup> {
    if (!takes(source)) return std::nullopt;
    if (needed.empty()) {
      if (options_.source == source)
        add_problem("`sensors.cgroup." + std::string(key) + "` is not set");
      return std::nullopt;
    }
    auto result = source == Source::procroot   ? find_by_process(needed)
                  : source == Source::hostpath ? find_in_hierarchy(needed, options_.process)
                                               : read_podinfo(needed);
    if (value_in(result)) return std::get<ExecutorGroup>(std::move(result));
    add_problem(failure_in(result).what);
    return std::nullopt;
  };
  if (auto group = attempt(Source::procroot, options_.process, "process")) return *group;
  if (auto group = attempt(Source::hostpath, options_.hierarchy, "hierarchy")) return *group;
  if (auto group = attempt(Source::downward, options_.podinfo, "podinfo")) return *group;
  const bool is_said = options_.memory || options_.cpus;
  ExecutorGroup group;
  if (takes(Source::config) && (is_said || options_.source == Source::config)) {
    group.source = GroupSource::config;
    group.memory_limit = options_.memory;
    group.cpus = options_.cpus;
    return group;
  }
  group.problem = std::move(problem);
  return group;
}

/// A quota or a cpuset may change at any time.
bool ExecutorWatch::sample_cpus() {
  const double cpus = usable_cpus(group_);
  if (cpus == cpus_) return false;
  cpus_ = cpus;
  log_(LogLevel::info, std::string(group_ ? "executor: it" : "this daemon's group") + " may use " +
                           cpus_text(cpus) + " now");
  return true;
}

bool ExecutorWatch::poll(TimePoint now) {
  // This reads the whole host, which an idle daemon need not do every second.
  if (!group_) return own_sample_.is_due(now) && sample_cpus();
  const bool is_held = group_->source && !group_->folders.empty();
  if (is_held && !why_gone(*group_)) return sample_cpus();
  ExecutorGroup next = found();
  const bool is_told = rejected_ && !why_gone(*rejected_);
  if (is_told && (!next.source || is_same(*rejected_, next))) return false;
  // A group that has gone explains itself, which is more precise than that there is none.
  if ((is_held && !next.source) || is_same(*group_, next)) return false;
  judge(std::move(next));
  if (group_->source) {
    log_(LogLevel::info,
         "executor: its limits come from " + std::string(to_string(*group_->source)) +
             (group_->folders.empty() ? "" : ", cgroup " + group_->folders.front().held->path()));
  } else {
    log_(LogLevel::warning, "executor: " + group_->problem + "; nothing is admitted until then");
  }
  return true;
}

}  // namespace sluice
