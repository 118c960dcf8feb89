#include "service/protocol/change.h"

#include <array>

#include "service/protocol/body.h"

namespace sluice {
namespace {
namespace json = boost::json;
using Where = JobChange::Position::Where;

MaybeError read_new_priority(const json::value& value, Change& change) {
  return read_priority(value, change.change.priority);
}

MaybeError read_new_queue(const json::value& value, Change& change) {
  return read_name("queue", value, change.change.queue.emplace());
}

MaybeError read_position(const json::value& value, Change& change) {
  if (const json::string* text = value.if_string(); text && (*text == "front" || *text == "back")) {
    change.change.position = {*text == "front" ? Where::front : Where::back, {}};
    return std::nullopt;
  }
  const json::object* relative = value.if_object();
  if (relative && relative->size() == 1) {
    const auto& [side, job] = *relative->begin();
    if (side == "before" || side == "after") {
      change.change.position = {side == "before" ? Where::before : Where::after, {}};
      return read_job_name("position", job, change.of);
    }
  }
  return bad_field("position",
                   "must be \"front\", \"back\", {\"before\": a job} or {\"after\": a job}");
}

MaybeError read_frozen(const json::value& value, Change& change) {
  return read_truth("frozen", value, change.change.frozen.emplace());
}

MaybeError read_new_nice(const json::value& value, Change& change) {
  return read_nice(value, change.change.nice);
}

MaybeError read_new_locks(const json::value& value, Change& change) {
  return read_locks(value, change.change.locks);
}

MaybeError read_new_global_lock(const json::value& value, Change& change) {
  return read_truth("global_lock", value, change.change.global_lock.emplace());
}

constexpr std::array<BodyField<Change>, 7> kChangeFields{{{"priority", read_new_priority},
                                                          {"queue", read_new_queue},
                                                          {"position", read_position},
                                                          {"frozen", read_frozen},
                                                          {"nice", read_new_nice},
                                                          {"locks", read_new_locks},
                                                          {"global_lock", read_new_global_lock}}};

}  // namespace

std::variant<Change, ApiError> parse_change(std::string_view text) {
  const JsonBody body(text);
  if (body.problem()) return *body.problem();
  Change change;
  if (auto error = read_members<Change>(body.object(), kChangeFields, {}, change)) {
    return *std::move(error);
  }
  change.bytes = text.size();
  return change;
}

}  // namespace sluice
