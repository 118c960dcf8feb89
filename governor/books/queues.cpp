#include "governor/books/queues.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace sluice {

std::string_view InternedNames::intern(std::string_view name) {
  const auto found = names_.find(name);
  if (found != names_.end()) return *found;
  bytes_ += name.size();
  return *names_.emplace(name).first;
}

std::string_view InternedNames::intern_field(std::string_view field) {
  return intern(has_room_for(field) ? field : field.substr(0, field.find('.')));
}

bool InternedNames::has_room_for(std::string_view name) const {
  return (size() < kMostInternedNames && bytes_ < kMostInternedBytes) || names_.contains(name);
}

std::vector<SavedQueue> Queues::saved() const {
  std::vector<SavedQueue> saved;
  for (const JobQueue& queue : queues_) {
    saved.push_back({std::string(queue.name), queue.parent, queue.user, queue.ended, queue.paused});
  }
  return saved;
}

void Queues::restore(const std::vector<SavedQueue>& saved, const QueueingOptions& options,
                     InternedNames& names) {
  queues_.clear();
  for (const SavedQueue& each : saved) {
    queues_.push_back({.name = names.intern(each.name),
                       .parent = each.parent,
                       .user = each.user,
                       .options = {},
                       .ended = each.ended,
                       .paused = each.paused});
  }
  configure(options, options, names);
}

void Queues::configure(const QueueingOptions& options, const QueueingOptions& before,
                       InternedNames& names) {
  for (JobQueue& queue : queues_) queue.is_configured = false;
  for (const auto& [name, wanted] : options.queues) {
    auto found = std::ranges::find_if(queues_, [&, known = std::string_view(name)](auto& queue) {
      return queue.name == known && queues_[queue.parent].name == known;
    });
    if (found == queues_.end()) {
      const auto number = static_cast<std::uint32_t>(queues_.size());
      queues_.push_back({.name = names.intern(name), .parent = number, .options = {}});
      found = std::prev(queues_.end());
    }
    const auto old = before.queues.find(name);
    const bool changed = old == before.queues.end() || old->second.paused != wanted.paused;
    if (changed) found->paused = wanted.paused;
    found->options = wanted;
    found->is_configured = true;
  }
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    if (is_branch(number)) follow_parent(queues_[number]);
  }
  const bool has_default = options.queues.contains("default");
  default_ = number_of(has_default ? "default" : options.queues.begin()->first);
}

std::uint32_t Queues::number_of(std::string_view name) const {
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    if (queues_[number].is_configured && queues_[number].name == name && !is_branch(number))
      return number;
  }
  return static_cast<std::uint32_t>(queues_.size());
}

std::uint32_t Queues::number_for(std::string_view name, std::string_view user, InternedNames& names,
                                 const std::function<bool(std::uint32_t)>& is_unused) {
  const std::uint32_t configured = number_of(name);
  const std::size_t slash = name.rfind('/');
  if (configured != size() || slash == std::string_view::npos) return configured;
  const std::uint32_t parent = number_of(name.substr(0, slash));
  if (parent == size()) return parent;
  std::optional<std::uint32_t> unused;
  std::size_t of_user = 0, all = 0;
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    if (!is_branch(number)) continue;
    const JobQueue& queue = queues_[number];
    if (queue.name == name && queue.user == user) return number;
    const bool is_free = is_unused(number);
    if (is_free) unused = number;
    all += is_free ? 0 : 1;
    of_user += !is_free && queue.user == user ? 1 : 0;
  }
  const bool is_full =
      of_user >= kMostBranchesOfUser || all >= kMostBranches || !names.has_room_for(name);
  if (is_full) return parent;
  if (!unused) {
    unused = static_cast<std::uint32_t>(queues_.size());
    queues_.emplace_back();
  }
  queues_[*unused] = {
      .name = names.intern(name), .parent = parent, .user = std::string(user), .options = {}};
  follow_parent(queues_[*unused]);
  return *unused;
}

void Queues::follow_parent(JobQueue& branch) const {
  const JobQueue& parent = queues_[branch.parent];
  branch.options = parent.options;
  branch.paused = parent.paused;
  branch.is_configured = parent.is_configured;
}

void Queues::pause(std::uint32_t number, bool paused) {
  for (JobQueue& queue : queues_) {
    if (queue.parent == number) queue.paused = paused;
  }
}

}  // namespace sluice
