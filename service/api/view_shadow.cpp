#include "service/api/view_shadow.h"

#include "base/suggest.h"
#include "base/text.h"

namespace sluice {

std::string to_sentence(const ShadowFacts& shadow, const JobNames& names) {
  const auto points = static_cast<std::uint64_t>(shadow.size.value);
  std::string text = "window " + count_text(points, "point") + " (" + shadow.law + ")";
  if (!shadow.red.empty()) text += ", red: " + join_words(shadow.red);
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

void write_shadow(JsonWriter& json, const ShadowFacts& shadow, const JobNames& names) {
  json.begin_object().member("config_file", shadow.config_file).member("law", shadow.law);
  json.member("size", shadow.size).member("usage", shadow.usage).member("red", shadow.red);
  json.list("would_start", shadow.would_start, [&](JobId job) { json.value(name_of(job, names)); });
  json.member("would_refuse", shadow.would_refuse).member_or_null("refusal", shadow.refusal);
  json.member("began", shadow.began).member("held", shadow.held).key("last_held");
  shadow.held == 0 ? json.null() : json.value(name_of(shadow.last_held, names));
  json.member("differences", shadow.differences);
  json.member("sentence", to_sentence(shadow, names)).end_object();
}

}  // namespace sluice
