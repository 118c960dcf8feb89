#include "service/gearman/work_sources.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "process/command_jobs.h"
#include "service/gearman/worker.h"
#include "service/protocol/environment.h"

namespace sluice::gearman {
namespace {

/// Two sources may use the same server, for example for two zones.
void add(WorkSourceFacts facts, std::vector<WorkSourceFacts>& all) {
  const auto same = std::ranges::find_if(all, [&](const WorkSourceFacts& each) {
    return each.kind == facts.kind && each.server == facts.server;
  });
  if (same == all.end()) {
    all.push_back(std::move(facts));
    return;
  }
  same->connected = same->connected && facts.connected;
  if (same->problem.empty()) same->problem = std::move(facts.problem);
  std::move(facts.offered.begin(), facts.offered.end(), std::back_inserter(same->offered));
  same->jobs += facts.jobs;
  same->taken += facts.taken;
}

}  // namespace

std::optional<std::string> WorkSources::problem_of(const std::vector<GearmanOptions>& sources) {
  const bool is_trusting = std::ranges::any_of(sources, &GearmanOptions::trust_payload);
  if (!is_trusting || geteuid() != 0) return std::nullopt;
  return "work_sources.trust_payload: not as root: anyone who can submit a job to the Gearman "
         "server would be root here; run sluice serve as another user";
}

WorkSources::WorkSources(boost::asio::io_context& context,
                         const std::vector<GearmanOptions>& sources, const Log& log)
    : context_(context), log_(log) {
  if (const auto problem = problem_of(sources)) throw std::invalid_argument(*problem);
  if (sources.empty()) return;
  commands_ = std::make_unique<CommandJobs>(context, log);
  for (const GearmanOptions& source : sources) {
    workers_.push_back(std::make_shared<Worker>(context, source, log));
  }
}

WorkSources::~WorkSources() {
  for (const auto& worker : workers_) worker->hang_up();
}

std::vector<std::shared_ptr<WorkSource>> WorkSources::registered() const {
  return {workers_.begin(), workers_.end()};
}

void WorkSources::start(Governor& governor, std::function<bool(std::string_view)> is_jqm_compatible,
                        std::function<void(const JobEvent&)> on_event) {
  if (!commands_) return;
  log_(LogLevel::info, "jobs of work sources are held by " + commands_->isolation_description());
  const auto environment = [is_jqm_compatible](const Permit& permit) {
    return environment_of(permit.items(), is_jqm_compatible);
  };
  const auto named = [this, on_event](const JobEvent& event) {
    note_name(event);
    if (on_event) on_event(event);
  };
  for (const auto& worker : workers_) {
    worker->start({context_, governor, *commands_, log_, environment, named});
  }
}

void WorkSources::note_name(const JobEvent& event) {
  const std::string& name = event.job.unique.empty() ? event.job.handle : event.job.unique;
  if (event.what != JobEvent::What::ends) {
    names_[name] = event.number;
    return;
  }
  const auto found = names_.find(name);
  if (found != names_.end() && found->second == event.number) names_.erase(found);
}

std::optional<JobId> WorkSources::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

void WorkSources::configure(std::shared_ptr<History> history, const ReservationOptions& reservation,
                            MemoryMeter meter) {
  if (commands_) commands_->configure(std::move(history), reservation, std::move(meter));
}

void WorkSources::drain() {
  for (const auto& worker : workers_) worker->drain();
}

void WorkSources::stop() {
  for (const auto& worker : workers_) worker->stop();
}

std::vector<WorkSourceFacts> WorkSources::facts() const {
  std::vector<WorkSourceFacts> all;
  for (const auto& worker : workers_) {
    for (WorkSourceFacts& each : worker->facts()) add(std::move(each), all);
  }
  return all;
}

std::size_t WorkSources::jobs() const {
  std::size_t jobs = 0;
  for (const auto& worker : workers_) jobs += worker->jobs();
  return jobs;
}

}  // namespace sluice::gearman
