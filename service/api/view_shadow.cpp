#include "service/api/view_shadow.h"

#include "base/text.h"

namespace sluice {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string to_sentence(const ShadowFacts& shadow, const JobNames& names) {
  const auto points = static_cast<std::uint64_t>(shadow.size.value);
  std::string text = "window " + count_text(points, "point") + " (" + shadow.law + ")";
  if (!shadow.red.empty()) text += ", red: " + listed(shadow.red);
  text += ", would start " + count_text(shadow.would_start.size(), "waiting job") + " now";
  if (!shadow.would_start.empty()) {
    text += ", the first " + name_of(shadow.would_start.front(), names);
  }
  if (shadow.would_refuse > 0) {
    text += ", would refuse " + std::to_string(shadow.would_refuse) + ": " + shadow.refusal;
  }
  text += "; would have let " + std::to_string(shadow.held) + " of " +
          count_text(shadow.began, "begun job") + " wait";
  return text;
}

void write_shadow(JsonWriter& json, const std::optional<ShadowFacts>& shadow,
                  const JobNames& names) {
  json.key("shadow");
  if (!shadow) {
    json.null();
    return;
  }
  json.begin_object().member("config_file", shadow->config_file).member("law", shadow->law);
  json.member("size", shadow->size.value).member("usage", shadow->usage.value);
  json.member("red", shadow->red).key("would_start").begin_array();
  for (const JobId job : shadow->would_start) json.value(name_of(job, names));
  json.end_array().member("would_refuse", shadow->would_refuse).key("refusal");
  shadow->refusal.empty() ? json.null() : json.value(shadow->refusal);
  json.member("began", shadow->began).member("held", shadow->held).key("last_held");
  shadow->held == 0 ? json.null() : json.value(name_of(shadow->last_held, names));
  json.member("differences", shadow->differences);
  json.member("sentence", to_sentence(*shadow, names)).end_object();
}

}  // namespace sluice
