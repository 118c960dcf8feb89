#include <sluice.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/json_writer.h"
#include "base/suggest.h"
#include "capi/arguments.h"
#include "capi/errors.h"
#include "capi/handles.h"
#include "capi/job_request.h"
#include "capi/own_sensor.h"
#include "capi/structs.h"
#include "sluice/embed.h"
#include "sluice/version.h"
#include "status/status_json.h"

using namespace sluice;
using namespace sluice::capi;

namespace {

GovernorEvents events_of(const sluice_governor_options& options) {
  GovernorEvents events;
  if (options.on_accepting == nullptr) return events;
  events.on_accepting = [call = options.on_accepting, context = options.on_accepting_context](
                            bool accepting, const std::string& reason) noexcept {
    call(context, accepting ? 1 : 0, reason.c_str());
  };
  return events;
}

std::unique_ptr<sluice_governor> govern(const sluice_governor_options& given) {
  const auto options = known_fields(given, SLUICE_GOVERNOR_OPTIONS_INIT, "sluice_governor_options");
  const std::string file = text_of(options.config_file, "config_file");
  Assembly parts = assemble(file.empty() ? Options{} : read_options(file));
  std::size_t at = 0;
  for (const sluice_sensor* sensor : list_of(options.sensors, options.sensor_count, "sensors")) {
    parts.sensors.push_back(own_sensor(sensor, "sensors[" + std::to_string(at++) + "]"));
  }
  return std::make_unique<sluice_governor>(std::move(parts), events_of(options));
}

/// The refusal of a job; that of an invalid one with what is wrong.
sluice_code refuse_job(sluice_error* error, const Governor& governor, const JobRequest& job,
                       const Refusal& refusal) {
  if (error == nullptr || refusal.code != RefusalCode::invalid) return refuse(error, refusal);
  const std::optional<BadRequest> bad = governor.check(job);
  if (!bad) return refuse(error, refusal);
  return fail(error, SLUICE_REFUSED, bad->field + ": " + bad->message, to_string(refusal.code));
}

/// A wait that a C function ends. The permit's handle is made beforehand, so that nothing can fail
/// once the job is admitted.
class Wait {
 public:
  Wait(sluice_on_admission call, void* context)
      : call_(call), context_(context), permit_(std::make_unique<sluice_permit>()) {}

  void end(JobId id, Admission end) noexcept {
    if (auto* permit = std::get_if<Permit>(&end)) {
      permit_->permit = std::move(*permit);
      return call_(context_, id.value, permit_.release(), nullptr);
    }
    sluice_error refusal = SLUICE_ERROR_INIT;
    guarded(&refusal, [&] { return refuse(&refusal, std::get<Refusal>(end)); });
    call_(context_, id.value, nullptr, &refusal);
  }

 private:
  sluice_on_admission call_;
  void* context_;
  std::unique_ptr<sluice_permit> permit_;
};

sluice_code submit(sluice_governor& governor, const JobRequest& job, std::shared_ptr<Wait> wait,
                   std::uint64_t* id, sluice_error* error) {
  const auto submitted = governor.governor.submit(
      job, [wait](JobId ended, Admission admission) { wait->end(ended, std::move(admission)); });
  if (const auto* refusal = std::get_if<Refusal>(&submitted)) {
    return refuse_job(error, governor.governor, job, *refusal);
  }
  const Queued& queued = std::get<Queued>(submitted);
  if (id != nullptr) *id = queued.id.value;
  if (!queued.deduplicated) return SLUICE_OK;
  return fail(error, SLUICE_REFUSED,
              "job " + std::to_string(queued.id.value) + " waits already and stands for this one",
              "deduplicated");
}

/// The status with the names of GET /v1/status.
std::string status_text(const Status& status) {
  const Instant instant{status.now, std::chrono::system_clock::now()};
  return json_text([&](JsonWriter& json) {
    json.begin_object().member("version", kVersion).member("now", rfc3339(instant.wall));
    write_status(json, status, instant, {});
    json.key("counters").begin_object();
    write_counters(json, status.counters);
    json.end_object().end_object();
  });
}

/// Items by manager.
std::string items_text(const std::vector<HeldItems>& items) {
  return json_text([&](JsonWriter& json) {
    json.begin_object();
    for (const HeldItems& held : items) json.member(held.manager, held.items);
    json.end_object();
  });
}

/// A copy for the program, which frees it by `sluice_free`.
char* copy_of(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  copy[text.copy(copy, text.size())] = '\0';
  return copy;
}

/// Calls `act` with the governor.
template <typename Act>
sluice_code with_governor(sluice_governor* governor, sluice_error* error, Act act) {
  return guarded(error, [&] { act(checked(governor, "governor").governor); });
}

template <typename Handle>
sluice_code destroy(Handle* handle, const char* name, sluice_error* error) {
  return guarded(error, [&] {
    if (handle != nullptr) delete &checked(handle, name);
  });
}

}  // namespace

const char* sluice_version(void) { return kVersion; }

void sluice_free(char* text) { std::free(text); }

sluice_code sluice_govern(const sluice_governor_options* options, sluice_governor** governor,
                          sluice_error* error) {
  return guarded(error, [&] {
    sluice_governor*& result = place_of(governor, "governor");
    const sluice_governor_options defaults = SLUICE_GOVERNOR_OPTIONS_INIT;
    result = govern(options != nullptr ? *options : defaults).release();
  });
}

sluice_code sluice_governor_destroy(sluice_governor* governor, sluice_error* error) {
  return destroy(governor, "governor", error);
}

sluice_code sluice_pause(sluice_governor* governor, sluice_error* error) {
  return with_governor(governor, error, [](Governor& it) { it.pause(); });
}

sluice_code sluice_resume(sluice_governor* governor, sluice_error* error) {
  return with_governor(governor, error, [](Governor& it) { it.resume(); });
}

sluice_code sluice_drain(sluice_governor* governor, sluice_error* error) {
  return with_governor(governor, error, [](Governor& it) { it.drain(); });
}

sluice_code sluice_wait_until_idle(sluice_governor* governor, sluice_error* error) {
  return with_governor(governor, error, [](Governor& it) { it.wait_until_idle(); });
}

sluice_code sluice_job_create(const sluice_job_options* options, sluice_job** job,
                              sluice_error* error) {
  return guarded(error, [&] {
    sluice_job*& result = place_of(job, "job");
    if (options == nullptr) reject_handle(options, "options");
    auto made = std::make_unique<sluice_job>();
    made->request = job_request(*options);
    result = made.release();
  });
}

sluice_code sluice_job_destroy(sluice_job* job, sluice_error* error) {
  return destroy(job, "job", error);
}

sluice_code sluice_try_admit(sluice_governor* governor, const sluice_job* job,
                             sluice_permit** permit, sluice_error* error) {
  return guarded(error, [&] {
    sluice_permit*& result = place_of(permit, "permit");
    Governor& by = checked(governor, "governor").governor;
    const JobRequest& request = checked(job, "job").request;
    Admission admission = by.try_admit(request);
    if (const auto* refusal = std::get_if<Refusal>(&admission)) {
      return refuse_job(error, by, request, *refusal);
    }
    result = new sluice_permit{.permit = std::get<Permit>(std::move(admission))};
    return SLUICE_OK;
  });
}

sluice_code sluice_submit(sluice_governor* governor, const sluice_job* job,
                          sluice_on_admission on_admission, void* context, uint64_t* id,
                          sluice_error* error) {
  return guarded(error, [&] {
    if (id != nullptr) *id = 0;
    sluice_governor& by = checked(governor, "governor");
    const JobRequest& request = checked(job, "job").request;
    if (on_admission == nullptr) reject("on_admission", "is NULL");
    return submit(by, request, std::make_shared<Wait>(on_admission, context), id, error);
  });
}

sluice_code sluice_cancel(sluice_governor* governor, uint64_t id, sluice_error* error) {
  return with_governor(governor, error, [id](Governor& it) {
    if (!it.cancel(JobId{id})) reject("id", "job " + std::to_string(id) + " does not wait");
  });
}

uint64_t sluice_permit_id(const sluice_permit* permit) {
  return is_handle(permit) ? permit->permit.id().value : 0;
}

int64_t sluice_permit_cost(const sluice_permit* permit) {
  return is_handle(permit) ? permit->permit.cost().value : 0;
}

sluice_code sluice_permit_items(const sluice_permit* permit, char** json, sluice_error* error) {
  return guarded(error, [&] {
    char*& result = place_of(json, "json");
    result = copy_of(items_text(checked(permit, "permit").permit.items()));
  });
}

sluice_code sluice_permit_started(sluice_permit* permit, sluice_error* error) {
  return guarded(error, [&] { checked(permit, "permit").permit.started(); });
}

sluice_code sluice_permit_measured(sluice_permit* permit, const sluice_usage* usage,
                                   sluice_error* error) {
  return guarded(error, [&] {
    Permit& by = checked(permit, "permit").permit;
    if (usage == nullptr) reject_handle(usage, "usage");
    by.measured(job_usage(*usage));
  });
}

sluice_code sluice_permit_release(sluice_permit* permit, int outcome, sluice_error* error) {
  return guarded(error, [&] {
    if (permit == nullptr) return;
    Permit& by = checked(permit, "permit").permit;
    by.release(job_outcome(outcome));
    delete permit;
  });
}

sluice_code sluice_status_json(sluice_governor* governor, char** json, sluice_error* error) {
  return guarded(error, [&] {
    char*& result = place_of(json, "json");
    result = copy_of(status_text(checked(governor, "governor").governor.status()));
  });
}

sluice_code sluice_explain(sluice_governor* governor, uint64_t id, char** text,
                           sluice_error* error) {
  return guarded(error, [&] {
    char*& result = place_of(text, "text");
    const auto explanation = checked(governor, "governor").governor.explain(JobId{id});
    if (!explanation) reject("id", "there is no job " + std::to_string(id));
    result = copy_of(join_words(to_lines(*explanation, Clock::now()), "\n"));
  });
}
