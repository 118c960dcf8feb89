#include "service/api/jobs_overview.h"

#include <algorithm>

#include "base/json_writer.h"
#include "status/refusal_json.h"

namespace sluice {
namespace {

std::vector<const JobView*> first_of(const std::vector<JobView>& views, JobState state) {
  std::vector<const JobView*> jobs;
  for (const JobView& view : views) {
    if (view.state == state) jobs.push_back(&view);
  }
  // Running jobs have no place and stay as they are.
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const JobView* a, const JobView* b) { return a->place < b->place; });
  jobs.resize(std::min(jobs.size(), kOverviewJobs));
  return jobs;
}

void write_job(JsonWriter& json, const JobView& view, const JobNames& names,
               const Suspension* suspended, TimePoint now) {
  json.begin_object().member("id", names(view.id)).member("number", view.id.value);
  json.member("key", view.request.key);
  json.member("queue", view.request.queue).member("state", to_string(view.state));
  json.member("priority", view.request.priority.value_or(0)).member("cost", view.cost);
  json.member("starting", view.starting).member("frozen", view.frozen);
  json.member("suspended", suspended, [&](const Suspension& why) {
    json.begin_object().member("message", "memory is short: " + why.action.cause()).end_object();
  });
  json.member("age", age_seconds(now, view.arrived));
  json.member("running_for", view.admitted, [&](TimePoint at) { return age_seconds(now, at); });
  json.member("place", view.place > 0 ? std::optional(view.place) : std::nullopt);
  json.member("refusal", view.refusal, [&](auto& why) { write_refusal(json, why, names); });
  json.end_object();
}

}  // namespace

std::string jobs_overview_json(const std::vector<JobView>& views, const JobNames& names,
                               const std::function<const Suspension*(JobId)>& suspended,
                               TimePoint now) {
  const auto pending =
      static_cast<std::size_t>(std::ranges::count(views, JobState::pending, &JobView::state));
  std::string text;
  text.reserve(16384);
  JsonWriter json(text);
  json.begin_object().member("running", views.size() - pending).member("pending", pending);
  json.key("jobs").begin_array();
  for (const JobState state : {JobState::running, JobState::pending}) {
    for (const JobView* view : first_of(views, state)) {
      write_job(json, *view, names, suspended(view->id), now);
    }
  }
  json.end_array().end_object();
  return text;
}

}  // namespace sluice
