#include "service/protocol/refusal_json.h"

namespace sluice {
namespace {

/// Counts are written only for refusals that have them: a red sensor has no free units.
bool is_counted(RefusalCode code) {
  return code == RefusalCode::resource || code == RefusalCode::memory ||
         code == RefusalCode::rate_limit || code == RefusalCode::impossible;
}

}  // namespace

std::string name_of(JobId job, const JobNames& names) {
  return names ? names(job) : std::to_string(job.value);
}

void write_refusal(JsonWriter& json, const Refusal& refusal, const JobNames& names) {
  json.begin_object().member("code", to_string(refusal.code)).member("binding", refusal.binding);
  json.member("message", to_sentence(refusal, names)).member("cost", refusal.cost.value);
  json.member("usage", refusal.usage.value).member("size", refusal.size.value).key("ahead");
  refusal.ahead.value ? json.value(name_of(refusal.ahead, names)) : json.null();
  const bool counted = is_counted(refusal.code) && refusal.binding != "window";
  json.key("needs");
  counted ? json.value(refusal.needs) : json.null();
  json.key("free");
  counted ? json.value(refusal.free) : json.null();
  json.key("total");
  counted ? json.value(refusal.total) : json.null();
  json.end_object();
}

}  // namespace sluice
