#include "cli/batch/table.h"

#include <utility>

namespace sluice::cli {
namespace {
using Verdict = BatchDependencies::Verdict;

const char* const kCancelled = "not run: a job it depends on did not succeed";
const char* const kHeld = "held, not run: a job it depends on did not succeed";
}  // namespace

BatchTable::Dropped BatchTable::add(BatchJob job, TimePoint now) {
  now_ = now;
  ++counts_.known;
  const std::size_t seq = job.seq;
  const Verdict verdict = dependencies_.add(seq, job.after, job.request.on_failure);
  jobs_.emplace(seq, TrackedJob{std::move(job), 0, 0, now});
  Dropped dropped;
  if (verdict == Verdict::ready) enqueue(seq, now);
  if (verdict == Verdict::cancel) drop(seq, kCancelled, dropped);
  return dropped;
}

void BatchTable::enqueue(std::size_t seq, TimePoint now) {
  TrackedJob& tracked = jobs_.at(seq);
  tracked.ready = now;
  const JobRequest& request = tracked.job.request;
  order_.add(seq, request.priority.value_or(0), expect_(request));
}

TrackedJob* BatchTable::next() {
  const auto seq = order_.next();
  return seq ? &jobs_.at(*seq) : nullptr;
}

BatchTable::Dropped BatchTable::done(std::size_t seq, bool ok, TimePoint now) {
  now_ = now;
  const auto found = jobs_.extract(seq);
  ++(ok ? counts_.succeeded : counts_.failed);
  return settle(dependencies_.done(found.mapped().job.request.id, ok));
}

BatchTable::Dropped BatchTable::skip(const BatchJob& job) {
  return settle(dependencies_.done(job.request.id, ended_ok_(job)));
}

BatchTable::Dropped BatchTable::settle(const Changes& changes) {
  Dropped dropped;
  for (const auto& [seq, verdict] : changes) {
    if (verdict == Verdict::ready) enqueue(seq, now_);
    if (verdict == Verdict::cancel) drop(seq, kCancelled, dropped);
  }
  return dropped;
}

/// For the jobs after it, a job that is not run is one that did not end ok.
void BatchTable::drop(std::size_t seq, const std::string& why, Dropped& into) {
  auto found = jobs_.extract(seq);
  const std::string id = found.mapped().job.request.id;
  into.emplace_back(std::move(found.mapped().job), why);
  for (auto& next : settle(dependencies_.done(id, false))) into.push_back(std::move(next));
}

BatchTable::Dropped BatchTable::give_up() {
  Dropped dropped;
  for (const std::size_t seq : dependencies_.waiting_jobs()) {
    const auto found = jobs_.extract(seq);
    if (found) dropped.emplace_back(std::move(found.mapped().job), kHeld);
  }
  return dropped;
}

void BatchTable::refresh() {
  order_.refresh([this](std::size_t seq) { return expect_(jobs_.at(seq).job.request); });
}

void BatchTable::count_bad_line() {
  ++counts_.known;
  ++counts_.failed;
}

}  // namespace sluice::cli
