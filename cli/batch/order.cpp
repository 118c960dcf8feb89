#include "cli/batch/order.h"

#include <tuple>

namespace sluice::cli {

bool BatchOrder::Place::operator<(const Place& other) const {
  return std::tuple(-priority, -expected.count(), seq) <
         std::tuple(-other.priority, -other.expected.count(), other.seq);
}

void BatchOrder::add(std::size_t seq, int priority, std::optional<Duration> expected) {
  if (by_ == By::arrival || !expected) {
    unknown_.insert({priority, Duration{0}, seq});
    return;
  }
  known_.insert({priority, *expected, seq});
  known_sum_ += static_cast<double>(expected->count());
  ++known_count_;
}

bool BatchOrder::unknown_is_next() const {
  if (known_.empty() || unknown_.empty()) return known_.empty();
  Place unknown = *unknown_.begin();
  unknown.expected =
      Duration(static_cast<Duration::rep>(known_sum_ / static_cast<double>(known_count_)));
  return unknown < *known_.begin();
}

std::optional<std::size_t> BatchOrder::next() {
  if (empty()) return std::nullopt;
  std::set<Place>& from = unknown_is_next() ? unknown_ : known_;
  return from.extract(from.begin()).value().seq;
}

void BatchOrder::refresh(const std::function<std::optional<Duration>(std::size_t)>& expected) {
  if (by_ == By::arrival) return;
  const std::set<Place> known = std::exchange(known_, {});
  const std::set<Place> unknown = std::exchange(unknown_, {});
  known_sum_ = 0;
  known_count_ = 0;
  for (const Place& place : known) add(place.seq, place.priority, expected(place.seq));
  for (const Place& place : unknown) add(place.seq, place.priority, expected(place.seq));
}

BatchDependencies::Verdict BatchDependencies::add(std::size_t seq,
                                                  const std::vector<std::string>& after,
                                                  OnFailure on_failure) {
  Waiting waiting{0, on_failure, false};
  std::vector<const std::string*> open;
  for (const std::string& id : after) {
    const auto found = done_.find(id);
    if (found == done_.end()) {
      open.push_back(&id);
    } else if (!found->second && on_failure != OnFailure::run) {
      waiting.held = on_failure == OnFailure::hold;
      if (!waiting.held) return Verdict::cancel;
    }
  }
  if (waiting.held) {
    waiting_.emplace(seq, waiting);
    return Verdict::hold;
  }
  if (open.empty()) return Verdict::ready;
  waiting.left = open.size();
  for (const std::string* id : open) followers_[*id].push_back(seq);
  waiting_.emplace(seq, waiting);
  return Verdict::waits;
}

std::vector<std::pair<std::size_t, BatchDependencies::Verdict>> BatchDependencies::done(
    const std::string& id, bool ok) {
  std::vector<std::pair<std::size_t, Verdict>> changed;
  if (id.empty()) return changed;
  done_[id] = ok;
  const auto followers = followers_.extract(id);
  if (!followers) return changed;
  for (const std::size_t seq : followers.mapped()) {
    const auto found = waiting_.find(seq);
    if (found == waiting_.end() || found->second.held) continue;
    Waiting& waiting = found->second;
    if (!ok && waiting.on_failure == OnFailure::hold) {
      waiting.held = true;
      changed.emplace_back(seq, Verdict::hold);
    } else if (!ok && waiting.on_failure == OnFailure::cancel) {
      waiting_.erase(found);
      changed.emplace_back(seq, Verdict::cancel);
    } else if (--waiting.left == 0) {
      waiting_.erase(found);
      changed.emplace_back(seq, Verdict::ready);
    }
  }
  return changed;
}

std::vector<std::size_t> BatchDependencies::waiting_jobs() const {
  std::vector<std::size_t> jobs;
  for (const auto& [seq, waiting] : waiting_) jobs.push_back(seq);
  return jobs;
}

}  // namespace sluice::cli
