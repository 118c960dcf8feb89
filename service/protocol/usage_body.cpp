#include "service/protocol/usage_body.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <cmath>

#include "service/protocol/body.h"

namespace sluice {
namespace {
namespace json = boost::json;

constexpr double kMostSeconds = 1e9;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;

using MaybeUsage = std::optional<JobUsage>;

MaybeError read_seconds(const Given& given, Duration& into) {
  const double* fraction = given.value.if_double();
  const std::int64_t* whole = given.value.if_int64();
  const double seconds = fraction ? *fraction : whole ? static_cast<double>(*whole) : -1;
  if (!(seconds >= 0 && seconds <= kMostSeconds)) {
    return bad_field("usage." + given.field, "must be a number of seconds from 0 to 1000000000");
  }
  into = Duration(std::llround(seconds * 1e9));
  return std::nullopt;
}

MaybeError read_bytes(const Given& given, Bytes& into) {
  std::int64_t bytes = 0;
  if (read_whole(given, 0, kMostBytes, bytes)) {
    return bad_field("usage." + given.field, "must be a whole number of bytes from 0 to 2^60");
  }
  into = Bytes{static_cast<std::uint64_t>(bytes)};
  return std::nullopt;
}

MaybeError read_oom_kills(const Given& given, JobUsage& usage) {
  std::int64_t kills = 0;
  const Given named{"usage." + given.field, given.value};
  if (auto error = read_whole(named, 0, 1'000'000'000, kills)) return error;
  usage.oom_kills = static_cast<std::uint64_t>(kills);
  return std::nullopt;
}

constexpr std::array<BodyField<JobUsage>, 8> kUsageFields{
    {{"wall", [](auto& in, auto& to) { return read_seconds(in, to.wall); }},
     {"cpu", [](auto& in, auto& to) { return read_seconds(in, to.cpu); }},
     {"cpu_delay", [](auto& in, auto& to) { return read_seconds(in, to.cpu_delay); }},
     {"memory", [](auto& in, auto& to) { return read_bytes(in, to.memory); }},
     {"peak_memory", [](auto& in, auto& to) { return read_bytes(in, to.peak_memory); }},
     {"read", [](auto& in, auto& to) { return read_bytes(in, to.read.emplace()); }},
     {"written", [](auto& in, auto& to) { return read_bytes(in, to.written.emplace()); }},
     {"oom_kills", read_oom_kills}}};

MaybeError read_usage(const Given& given, MaybeUsage& read) {
  const json::object* object = given.value.if_object();
  if (!object) return bad_field(given.field, "must be an object such as {\"memory\": 1048576}");
  JobUsage& usage = read.emplace();
  usage.source = JobUsage::Source::reported;
  if (auto error = read_members<JobUsage>(*object, kUsageFields, {}, usage)) {
    const bool nested = error->field.rfind("usage.", 0) == 0;
    if (!nested) error->field = "usage." + error->field;
    return error;
  }
  usage.peak_memory = std::max(usage.peak_memory, usage.memory);
  return std::nullopt;
}

/// Of a heartbeat or a finish.
constexpr std::array<BodyField<MaybeUsage>, 1> kUsageBodyFields{{{"usage", read_usage}}};

void write_amounts(JsonWriter& json, const JobUsage& usage) {
  json.member("wall", usage.wall).member("cpu", usage.cpu).member("cpu_delay", usage.cpu_delay);
  json.member("memory", usage.memory).member("peak_memory", usage.peak_memory);
  json.member("read", usage.read).member("written", usage.written);
  json.member("oom_kills", usage.oom_kills);
}

}  // namespace

std::variant<std::optional<JobUsage>, ApiError> parse_usage_body(std::string_view text) {
  return read_body<MaybeUsage>(text, kUsageBodyFields);
}

std::string usage_body(const JobUsage& usage) {
  return json_text([&](JsonWriter& json) {
    json.begin_object().key("usage").begin_object();
    write_amounts(json, usage);
    json.end_object().end_object();
  });
}

void write_usage(JsonWriter& json, const JobUsage& usage) {
  json.begin_object().member("source", to_string(usage.source));
  write_amounts(json, usage);
  json.member("busy_cores", std::round(usage.busy_cores() * 1000) / 1000).end_object();
}

void write_prediction(JsonWriter& json, const Prediction& prediction) {
  json.begin_object().member("rung", to_string(prediction.rung));
  json.member("memory", prediction.memory, [&](auto& memory) {
    json.begin_object().member("mean", std::round(memory.mean));
    json.member("deviation", std::round(memory.deviation)).end_object();
  });
  json.member("duration", prediction.duration).end_object();
}

}  // namespace sluice
