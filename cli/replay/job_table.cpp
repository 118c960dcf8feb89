#include "cli/replay/job_table.h"

#include <utility>

namespace sluice::cli {

std::optional<JobId> ReplayJobTable::find(std::string_view name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

void ReplayJobTable::expect(JobId id, std::string name, int line) {
  Facts& facts = slot(id);
  facts.name = std::move(name);
  ids_.emplace(facts.name, id);
  expected_.emplace(id, line);
}

void ReplayJobTable::add(JobId id, std::string name, const ScenarioJob& job) {
  Facts& facts = slot(id);
  const bool expected = !facts.name.empty();
  facts.runs = job.runs;
  facts.outcome = job.outcome;
  facts.submitted = true;
  facts.ran = job.ran.has_value();
  if (expected) {
    expected_.erase(id);
    return;
  }
  facts.name = std::move(name);
  ids_.emplace(facts.name, id);
}

void ReplayJobTable::alias(JobId id, std::string name) {
  // Gives up the number that an expected name has already.
  const auto known = ids_.find(name);
  if (known != ids_.end()) {
    expected_.erase(known->second);
    slot(known->second).submitted = true;
    known->second = id;
    return;
  }
  ids_.emplace(aliases_.emplace_back(std::move(name)), id);
}

std::optional<std::pair<std::string_view, int>> ReplayJobTable::missing() const {
  if (expected_.empty()) return std::nullopt;
  const auto& [id, line] = *expected_.begin();
  return std::pair{name(id), line};
}

ReplayJobTable::Facts& ReplayJobTable::slot(JobId id) {
  if (facts_.size() < id.value) facts_.resize(id.value);
  return facts_[id.value - 1];
}

}  // namespace sluice::cli
