#include "cli/record/moment.h"

#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iostream>

#include "base/parse.h"
#include "base/values.h"

namespace sluice::cli {
namespace {

using record::WallTime;

std::optional<std::tm> parsed(const std::string& text, const char* form, std::tm fields) {
  const char* const end = strptime(text.c_str(), form, &fields);
  return end && *end == '\0' ? std::optional(fields) : std::nullopt;
}

WallTime wall_of(std::time_t seconds) { return WallTime(std::chrono::seconds(seconds)); }

/// Whole milliseconds; nullopt for what is no time of the last centuries or the next.
std::optional<WallTime> since_1970(std::string_view text) {
  constexpr double kMost = 8e9;
  const auto seconds = parse_number(text);
  if (!seconds || *seconds < 0 || *seconds > kMost) return std::nullopt;
  return WallTime(std::chrono::milliseconds(std::llround(*seconds * 1000)));
}

std::tm local_fields(WallTime time) {
  const auto since = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  const std::time_t seconds = since;
  std::tm fields{};
  localtime_r(&seconds, &fields);
  return fields;
}

}  // namespace

std::optional<WallTime> moment_of(const std::string& text, WallTime now) {
  const auto ago = parse_duration(text);
  if (const auto* duration = std::get_if<Duration>(&ago)) return now - *duration;
  if (text.starts_with('@')) return since_1970(std::string_view(text).substr(1));
  if (auto utc = parsed(text, "%Y-%m-%dT%H:%M:%SZ", {})) return wall_of(timegm(&*utc));
  for (const char* form : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"}) {
    auto local = parsed(text, form, {});
    if (!local) continue;
    local->tm_isdst = -1;
    return wall_of(mktime(&*local));
  }
  std::tm today = local_fields(now);
  today.tm_sec = 0;
  today.tm_isdst = -1;
  for (const char* form : {"%H:%M:%S", "%H:%M"}) {
    auto local = parsed(text, form, today);
    if (!local) continue;
    std::tm yesterday = *local;
    --yesterday.tm_mday;
    const WallTime then = wall_of(mktime(&*local));
    return then <= now ? then : wall_of(mktime(&yesterday));
  }
  return std::nullopt;
}

std::optional<WallTime> bound_of(const char* what, const std::string& text, WallTime otherwise) {
  if (text.empty()) return otherwise;
  const auto moment = moment_of(text, std::chrono::system_clock::now());
  if (!moment) {
    std::cerr << what << ": `" << text << "` is not a time such as " << kMomentForms << "\n";
  }
  return moment;
}

std::string local_time(WallTime time) {
  const std::tm fields = local_fields(time);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &fields)};
}

}  // namespace sluice::cli
