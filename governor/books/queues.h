#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/queueing.h"

namespace sluice {

/// After this many different names, or bytes of names, no new ones of clients are kept, so no
/// further branches are made.
inline constexpr std::size_t kMostInternedNames = 32768, kMostInternedBytes = 1 << 20;

/// Names that refusals point at: a view that `intern` returned stays valid as long as this object.
class InternedNames {
 public:
  std::string_view intern(std::string_view name);
  /// The name of a request's field as a refusal has it. Once there are very many names, only its
  /// first part, so that clients cannot fill the memory by made-up fields.
  std::string_view intern_field(std::string_view field);
  /// Whether a name that a client chose may be interned.
  bool has_room_for(std::string_view name) const;
  std::size_t size() const { return names_.size(); }
  auto begin() const { return names_.begin(); }
  auto end() const { return names_.end(); }

 private:
  std::set<std::string, std::less<>> names_;
  std::size_t bytes_ = 0;
};

/// A queue, now or formerly configured, or a branch of one: a queue "NAME/BRANCH" with the options
/// of NAME that exists as long as it has jobs.
struct JobQueue {
  std::string_view name;
  std::uint32_t parent = 0;  ///< The configured queue; its own number unless it is a branch.
  std::string user = {};     ///< Whose branch it is: see `JobRequest::user`.
  QueueOptions options;
  std::size_t running = 0;
  std::uint64_t ended = 0;  ///< Of its jobs that have run.
  bool paused = false;
  bool is_configured = true;  ///< Is in the configuration, as the parent of a branch is.
};

/// What lasts of a queue besides its jobs and options.
struct SavedQueue {
  std::string name;
  std::uint32_t parent = 0;
  std::string user;
  std::uint64_t ended = 0;
  bool paused = false;
};

/// Most branches that one user may have at a time, and all users; further jobs are in the queue
/// itself.
inline constexpr std::size_t kMostBranchesOfUser = 64, kMostBranches = 512;

/// The queues by number, which never changes. Not thread-safe.
class Queues {
 public:
  /// All, by number.
  std::vector<SavedQueue> saved() const;
  /// Those of another object, without running jobs. Each `parent` must be a number.
  void restore(const std::vector<SavedQueue>& saved, const QueueingOptions& options,
               InternedNames& names);

  /// Takes over the configured queues. One whose `paused` differs from `before` gets that switch;
  /// else an operator's stays.
  void configure(const QueueingOptions& options, const QueueingOptions& before,
                 InternedNames& names);

  /// The number of a configured queue; `size()` if there is none of that name.
  std::uint32_t number_of(std::string_view name) const;
  /// The number for a job of this user: of the configured queue or of the branch, which is made if
  /// it is missing. `is_unused`: whether a branch has no jobs, so that its number may be used
  /// again.
  std::uint32_t number_for(std::string_view name, std::string_view user, InternedNames& names,
                           const std::function<bool(std::uint32_t)>& is_unused);
  /// Whether the queue is a branch.
  bool is_branch(std::uint32_t number) const { return queues_[number].parent != number; }
  /// Pauses or resumes a configured queue and its branches.
  void pause(std::uint32_t number, bool paused);
  /// The queue of jobs that name none.
  std::uint32_t default_number() const { return default_; }

  std::size_t size() const { return queues_.size(); }
  bool empty() const { return queues_.empty(); }
  JobQueue& operator[](std::size_t number) { return queues_[number]; }
  const JobQueue& operator[](std::size_t number) const { return queues_[number]; }

 private:
  void follow_parent(JobQueue& branch) const;

  std::vector<JobQueue> queues_;
  std::uint32_t default_ = 0;
};

}  // namespace sluice
