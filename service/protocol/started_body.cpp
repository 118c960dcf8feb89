#include "service/protocol/started_body.h"

#include <array>
#include <cstdint>
#include <limits>

#include "base/json_writer.h"
#include "service/protocol/body.h"

namespace sluice {
namespace {

struct StartedBody {
  std::optional<pid_t> process;
};

MaybeError read_started_pid(const Given& given, StartedBody& body) {
  std::int64_t pid = 0;
  if (read_whole(given, 1, std::numeric_limits<pid_t>::max(), pid)) {
    return bad_field(given.field, "must be the number of a process");
  }
  body.process = static_cast<pid_t>(pid);
  return std::nullopt;
}

constexpr std::array<BodyField<StartedBody>, 1> kStartedFields{{{"pid", read_started_pid}}};

}  // namespace

std::variant<std::optional<pid_t>, ApiError> parse_started_body(std::string_view text) {
  const JsonBody json(text);
  if (json.problem()) return *json.problem();
  StartedBody body;
  if (auto error = read_members<StartedBody>(json.object(), kStartedFields, {}, body)) {
    return *std::move(error);
  }
  return body.process;
}

std::string started_body(pid_t process) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().member("pid", process).end_object();
  return body;
}

}  // namespace sluice
