#include "service/protocol/started_body.h"

#include <array>
#include <cstdint>
#include <limits>

#include "base/json_writer.h"
#include "service/protocol/body.h"

namespace sluice {
namespace {

using Process = std::optional<pid_t>;

MaybeError read_started_pid(const Given& given, Process& process) {
  std::int64_t pid = 0;
  if (read_whole(given, 1, std::numeric_limits<pid_t>::max(), pid)) {
    return bad_field(given.field, "must be the number of a process");
  }
  process = static_cast<pid_t>(pid);
  return std::nullopt;
}

constexpr std::array<BodyField<Process>, 1> kStartedFields{{{"pid", read_started_pid}}};

}  // namespace

std::variant<std::optional<pid_t>, ApiError> parse_started_body(std::string_view text) {
  return read_body<Process>(text, kStartedFields);
}

std::string started_body(pid_t process) {
  return json_text(
      [&](JsonWriter& json) { json.begin_object().member("pid", process).end_object(); });
}

}  // namespace sluice
