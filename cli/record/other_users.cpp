#include "cli/record/other_users.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/parse.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

/// Words of Sluice's own and names of sensors, which every client may read.
bool is_public(const record::JobWaits& wait) {
  const std::string& binding = wait.binding.text;
  constexpr std::string_view kPublic[] = {"sensor", "window", "memory", "frozen", "behind"};
  const bool is_global_lock = wait.code == "contention" && binding == "global_lock";
  return binding.empty() || is_global_lock ||
         std::ranges::find(kPublic, wait.code) != std::end(kPublic);
}

/// Everything but the first word may be a name: "queue nightly paused", "jobserver make-1 (make):
/// ...". Of a queue, what was done with it stays.
record::DaemonEvent without_names(const record::DaemonEvent& event) {
  const std::string& detail = event.detail.text;
  const std::size_t first = detail.find(' ');
  if (event.what != "operated" || first == detail.npos) return event;
  std::string hidden = detail.substr(0, first + 1) + kHidden;
  if (detail.starts_with("queue ")) hidden += detail.substr(detail.rfind(' '));
  record::DaemonEvent bare = event;
  bare.detail.text = std::move(hidden);
  return bare;
}

class NameFilter {
 public:
  explicit NameFilter(std::optional<std::uint32_t> user) : user_(user) {}

  /// nullopt: the entry stays as it is.
  std::optional<record::Entry> changed(const record::Entry& entry) {
    if (const auto* job = std::get_if<record::JobSubmitted>(&entry)) return bare(*job);
    if (const auto* again = std::get_if<record::JobRestated>(&entry)) return bare(*again);
    if (const auto* event = std::get_if<record::DaemonEvent>(&entry)) return without_names(*event);
    if (const auto* change = std::get_if<record::JobChanged>(&entry)) return bare(*change);
    const auto* wait = std::get_if<record::JobWaits>(&entry);
    if (!wait || is_public(*wait) || named_.contains(wait->job.value)) return std::nullopt;
    record::JobWaits hidden = *wait;
    hidden.binding.text = kHidden;
    return hidden;
  }

 private:
  std::optional<record::Entry> bare(const record::JobSubmitted& job) {
    if (user_ && job.user == user_) {
      named_.insert(job.job.value);
      return std::nullopt;
    }
    // A number may be given again.
    named_.erase(job.job.value);
    record::JobSubmitted rest;
    rest.job = job.job;
    rest.priority = job.priority;
    rest.cost = job.cost;
    rest.parent = job.parent;
    rest.after = job.after;
    rest.global_lock = job.global_lock;
    rest.on_failure = job.on_failure;
    rest.nice = job.nice;
    return rest;
  }

  std::optional<record::Entry> bare(const record::JobRestated& again) {
    const auto submitted = bare(again.submitted);
    if (!submitted) return std::nullopt;
    record::JobRestated rest = again;
    rest.submitted = std::get<record::JobSubmitted>(*submitted);
    return rest;
  }

  /// As for the job itself, its user stays unsaid: the change is its user's as a rule.
  std::optional<record::Entry> bare(const record::JobChanged& change) const {
    if (named_.contains(change.job.value)) return std::nullopt;
    record::JobChanged rest = change;
    rest.by.reset();
    if (rest.queue) rest.queue->text = kHidden;
    if (rest.locks) {
      rest.locks = std::vector{std::pair(record::Name{kHidden}, record::Name{})};
    }
    return rest;
  }

  std::optional<std::uint32_t> user_;
  std::unordered_set<std::uint64_t> named_;  ///< The numbers of the user's jobs.
};

}  // namespace

record::OnEntry naming_jobs_of(const std::string& user, record::OnEntry each) {
  if (user.empty()) return each;
  const auto number = parse_as<std::uint32_t>(user);
  if (!number && user != kNobody) {
    throw std::runtime_error("--names-of: `" + harmless(user) + "` is neither a user id nor " +
                             kNobody);
  }
  auto filter = std::make_shared<NameFilter>(number);
  return [filter, each = std::move(each)](const record::Dated& dated) {
    const auto changed = filter->changed(dated.entry);
    each({dated.at, dated.wall, changed ? *changed : dated.entry});
  };
}

}  // namespace sluice::cli
