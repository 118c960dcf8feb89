#include "status/refusal_json.h"

namespace sluice {
namespace {

/// Counts are written only for refusals that have them: a red sensor has no free units.
bool is_counted(const Refusal& refusal) {
  if (refusal.binding == "window") return false;
  return refusal.code == RefusalCode::resource || refusal.code == RefusalCode::memory ||
         refusal.code == RefusalCode::rate_limit || refusal.code == RefusalCode::impossible;
}

/// Cores are counted in thousandths, and written as cores. Nothing is counted if every CPU is busy.
void write_cores(JsonWriter& json, std::int64_t thousandths, const Refusal& refusal) {
  refusal.total == 0 ? json.null() : json.value(static_cast<double>(thousandths) / 1000);
}

void write_amount(JsonWriter& json, std::string_view key, std::int64_t amount,
                  const Refusal& refusal) {
  json.key(key);
  if (refusal.code == RefusalCode::window && refusal.binding.starts_with("cpu")) {
    return write_cores(json, amount, refusal);
  }
  is_counted(refusal) ? json.value(amount) : json.null();
}

}  // namespace

void write_amounts(JsonWriter& json, const Refusal& refusal) {
  write_amount(json, "needs", refusal.needs, refusal);
  write_amount(json, "free", refusal.free, refusal);
  write_amount(json, "total", refusal.total, refusal);
}

std::string name_of(JobId job, const JobNames& names) {
  return names ? names(job) : std::to_string(job.value);
}

void write_refusal(JsonWriter& json, const Refusal& refusal, const JobNames& names) {
  write_refusal(json, refusal, names, to_sentence(refusal, names));
}

void write_refusal(JsonWriter& json, const Refusal& refusal, const JobNames& names,
                   std::string_view sentence) {
  json.begin_object().member("code", to_string(refusal.code)).member("binding", refusal.binding);
  json.member("message", sentence).member("cost", refusal.cost);
  json.member("usage", refusal.usage).member("size", refusal.size).key("ahead");
  refusal.ahead.value ? json.value(name_of(refusal.ahead, names)) : json.null();
  write_amounts(json, refusal);
  json.end_object();
}

}  // namespace sluice
