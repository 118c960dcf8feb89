#include "recognition/process_follower.h"

#include <poll.h>
#include <sys/epoll.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/process_table.h"
#include "base/seconds.h"
#include "recognition/process_facts.h"

namespace sluice {
namespace {

using Event = ProcessEvent::What;

/// A look takes half a hundredth of the time: what is done for it besides takes about as long.
constexpr int kShare = 200;
constexpr Duration kSoonest = std::chrono::milliseconds(10);
constexpr Duration kLatest = std::chrono::milliseconds(100);

/// A process that is older rarely becomes another program.
constexpr Duration kYoung = std::chrono::milliseconds(500);
constexpr Duration kFullScanInterval = std::chrono::milliseconds(250);

/// Members get at most the lower half of the descriptors that this process may have: connections to
/// the daemon, and files of /proc, need some. Without one, the end of a member is found by a scan.
constexpr std::uint64_t kShareOfDescriptors = 2;

/// A number may belong to another process by then.
constexpr Duration kForgetStrangers = std::chrono::seconds(2);

Duration cpu_of_this_thread() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return duration_of(used);
}

Descriptor descriptor_of_member(pid_t process) {
  Descriptor opened = open_pidfd(process);
  const bool is_spare =
      opened && static_cast<std::uint64_t>(opened.get()) < descriptor_limit() / kShareOfDescriptors;
  return is_spare ? std::move(opened) : Descriptor();
}

std::string text_of_command(pid_t process) {
  std::string text;
  for (const std::string& word : read_command(process)) text += word + '\0';
  return text;
}

}  // namespace

ProcessFollower::ProcessFollower(pid_t root, ProcessSource source)
    : root_(root), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (source == ProcessSource::best) connector_ = ProcessConnector::open();
  if (!connector_) {
    subreaper_.emplace(root);
    return;
  }
  watch_readable(epoll_.get(), connector_->descriptor());
}

std::optional<TimePoint> ProcessFollower::next() const {
  if (!connector_ || is_first_) return rescan_at_;
  std::optional<TimePoint> first;
  for (const auto& [_, member] : members_) {
    const auto at = member.check_at;
    if (at) first = first ? std::min(*first, *at) : *at;
  }
  return first;
}

void ProcessFollower::join(pid_t process, pid_t parent, TimePoint now) {
  Member& member = members_[process];
  member.since = now;
  if (connector_) return;
  const auto facts = read_process(process);
  member.started = facts ? facts->started : 0;
  // Equal to its parent's until it becomes something.
  const auto above = members_.find(parent);
  if (above != members_.end()) {
    member.command = above->second.command;
    member.image = above->second.image;
  }
  member.descriptor = descriptor_of_member(process);
  if (member.descriptor) watch_readable(epoll_.get(), member.descriptor.get());
}

/// Not the root, which the caller reaps.
std::optional<int> ProcessFollower::reap(pid_t process) const {
  return process == root_ ? std::nullopt : Subreaper::reap(process);
}

/// `starts_threads`: it did so before or after the event.
void ProcessFollower::handle_event(const ProcessEvent& event, bool starts_threads,
                                   std::vector<ProcessEvent>& events, TimePoint now) {
  const auto found = members_.find(event.process);
  // Its number belongs to another process now.
  if (event.what == Event::appeared && found != members_.end() && found->second.check_at) {
    events.push_back({Event::ended, event.process, 0, found->second.status});
    members_.erase(event.process);
  }
  const bool is_member = members_.contains(event.process);
  const bool begins = event.what == Event::appeared && members_.contains(event.parent);
  if (!is_member && !begins) return;
  if (begins && is_member) return;  // A look has found it already.
  if (begins) join(event.process, event.parent, now);
  Member& member = members_.at(event.process);
  // Where another thread executes a program, the end of the first may be told later.
  member.may_have_threads = starts_threads || (!begins && member.may_have_threads);
  if (event.what == Event::ended) return first_thread_ended(event, events, now);
  // Another thread has taken the place of the first.
  if (event.what == Event::became) member.check_at.reset();
  events.push_back(event);
}

/// The kernel tells it also where another thread executes a program, and where others go on.
void ProcessFollower::first_thread_ended(const ProcessEvent& event,
                                         std::vector<ProcessEvent>& events, TimePoint now) {
  // Reading whether it is over takes longer than all else about its end.
  if (!members_.at(event.process).may_have_threads || is_over(event.process)) {
    members_.erase(event.process);
    events.push_back(event);
    return;
  }
  Member& member = members_.at(event.process);
  member.status = event.status;
  member.check_at = now + kSoonest;
}

void ProcessFollower::check_ending(std::vector<ProcessEvent>& events, TimePoint now) {
  std::vector<pid_t> over;
  for (auto& [pid, member] : members_) {
    if (!member.check_at || now < *member.check_at) continue;
    is_over(pid) ? over.push_back(pid) : void(member.check_at = now + kLatest);
  }
  for (const pid_t pid : over) {
    events.push_back({Event::ended, pid, 0, members_.at(pid).status});
    members_.erase(pid);
  }
}

std::vector<ProcessEvent> ProcessFollower::poll(TimePoint now) {
  std::vector<ProcessEvent> events;
  const bool is_first = is_first_;
  if (is_first) {
    is_first_ = false;
    join(root_, 0, now);
    executes(root_, members_.at(root_), text_of_command(root_));
    events.push_back({Event::became, root_});
  }
  if (!connector_) {
    find_ends(events);
    if (is_first || now >= rescan_at_) rescan(events, now);
    return events;
  }
  const ProcessConnector::Batch batch = connector_->read();
  for (auto& [process, member] : members_) {
    const bool starts_threads = batch.is_incomplete || batch.threaded.contains(process);
    member.may_have_threads = member.may_have_threads || starts_threads;
  }
  for (const ProcessEvent& event : batch.events) {
    handle_event(event, batch.is_incomplete || batch.threaded.contains(event.process), events, now);
  }
  check_ending(events, now);
  if (is_first || batch.is_incomplete) rescan(events, now);
  return events;
}

void ProcessFollower::rescan(std::vector<ProcessEvent>& events, TimePoint now) {
  const Duration began = cpu_of_this_thread();
  const bool reads_all = connector_ || now >= forget_strangers_at_;
  if (reads_all) {
    strangers_.clear();
    forget_strangers_at_ = now + kForgetStrangers;
  }
  find_new(events, now);
  check_members(events, now);
  // Reading every process of the host takes a millisecond for a hundred of them, once in two
  // seconds.
  const Duration took = reads_all ? Duration{0} : cpu_of_this_thread() - began;
  rescan_at_ = now + std::clamp(took * kShare, kSoonest, kLatest);
}

/// Of all living processes of which nothing is known yet. Reaps orphans that have ended.
std::map<pid_t, pid_t> ProcessFollower::parents_of_unknown() const {
  std::map<pid_t, pid_t> parents;
  for (const pid_t pid : list_processes()) {
    if (members_.contains(pid) || strangers_.contains(pid)) continue;
    const auto facts = read_process(pid);
    if (!facts) continue;
    const bool is_orphan = subreaper_ && subreaper_->has_adopted(*facts);
    if (facts->is_alive()) {
      parents[pid] = is_orphan ? root_ : facts->parent;
    } else if (is_orphan) {
      reap(pid);
    }
  }
  return parents;
}

void ProcessFollower::find_new(std::vector<ProcessEvent>& events, TimePoint now) {
  const std::map<pid_t, pid_t> parents = parents_of_unknown();
  // A child may have a smaller number than its parent.
  bool grows = true;
  while (grows) {
    grows = false;
    for (const auto& [pid, parent] : parents) {
      if (members_.contains(pid) || !members_.contains(parent)) continue;
      join(pid, parent, now);
      events.push_back({Event::appeared, pid, parent});
      grows = true;
    }
  }
  for (const auto& [pid, parent] : parents) {
    // If its parent has just ended, only its next parent tells whose orphan it is.
    const bool has_parent = parent == 0 || parents.contains(parent) || strangers_.contains(parent);
    if (has_parent && !members_.contains(pid)) strangers_.insert(pid);
  }
}

/// Takes note of a command line that has changed. False if the process has only written over its
/// words, as pytest's workers tell which test they run: these stay where they are.
bool ProcessFollower::executes(pid_t process, Member& member, std::string command) {
  const auto image = read_program_image(process);
  const bool stays = image && image == member.image;
  member.command = std::move(command);
  member.image = image;
  return !stays;
}

void ProcessFollower::check_members(std::vector<ProcessEvent>& events, TimePoint now) {
  const bool scans_all = connector_ || now >= full_scan_at_;
  if (scans_all) full_scan_at_ = now + kFullScanInterval;
  std::vector<pid_t> ended;
  for (auto& [pid, member] : members_) {
    if (!scans_all && now - member.since > kYoung) continue;
    const auto facts = scans_all ? read_process(pid) : std::nullopt;
    const bool is_another = facts && member.started != 0 && facts->started != member.started;
    const bool may_be_over = scans_all && (!facts || !facts->is_alive());
    if (is_another || (may_be_over && is_over(pid))) {
      ended.push_back(pid);
      continue;
    }
    std::string command = text_of_command(pid);
    if (command.empty() || command == member.command) continue;
    if (!connector_ && !executes(pid, member, std::move(command))) continue;
    member.since = now;
    events.push_back({Event::became, pid});
  }
  for (const pid_t pid : ended) {
    members_.erase(pid);
    events.push_back({Event::ended, pid, 0, reap(pid)});
  }
}

/// Of the descriptors that are ready: each is of a process that has ended.
void ProcessFollower::find_ends(std::vector<ProcessEvent>& events) {
  std::vector<pollfd> ready;
  std::vector<pid_t> pids;
  for (const auto& [pid, member] : members_) {
    if (!member.descriptor) continue;
    ready.push_back({member.descriptor.get(), POLLIN, 0});
    pids.push_back(pid);
  }
  if (ready.empty() || ::poll(ready.data(), ready.size(), 0) <= 0) return;
  for (std::size_t at = 0; at < ready.size(); ++at) {
    if (ready[at].revents == 0) continue;
    const pid_t pid = pids[at];
    const auto signal = read_signal_of_death(pid);
    const auto status = reap(pid);
    members_.erase(pid);
    events.push_back({Event::ended, pid, 0, status ? status : signal});
  }
}

}  // namespace sluice
