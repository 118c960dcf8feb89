#include "service/protocol/change.h"

#include <array>

#include "service/protocol/body.h"

namespace sluice {
namespace {
namespace json = boost::json;
using Where = JobChange::Position::Where;

MaybeError read_position(const Given& given, Change& change) {
  if (const json::string* text = given.value.if_string();
      text && (*text == "front" || *text == "back")) {
    change.change.position = {*text == "front" ? Where::front : Where::back, {}};
    return std::nullopt;
  }
  const json::object* relative = given.value.if_object();
  if (relative && relative->size() == 1) {
    const auto& [side, job] = *relative->begin();
    if (side == "before" || side == "after") {
      change.change.position = {side == "before" ? Where::before : Where::after, {}};
      return read_job_name({given.field, job}, change.of);
    }
  }
  return bad_field(given.field,
                   "must be \"front\", \"back\", {\"before\": a job} or {\"after\": a job}");
}

constexpr std::array<BodyField<Change>, 7> kChangeFields{
    {{"priority", [](auto& in, auto& to) { return read_priority(in, to.change.priority); }},
     {"queue", [](auto& in, auto& to) { return read_name(in, to.change.queue.emplace()); }},
     {"position", read_position},
     {"frozen", [](auto& in, auto& to) { return read_truth(in, to.change.frozen.emplace()); }},
     {"nice", [](auto& in, auto& to) { return read_nice(in, to.change.nice); }},
     {"locks", [](auto& in, auto& to) { return read_locks(in, to.change.locks); }},
     {"global_lock",
      [](auto& in, auto& to) { return read_truth(in, to.change.global_lock.emplace()); }}}};

}  // namespace

std::variant<Change, ApiError> parse_change(std::string_view text) {
  auto read = read_body<Change>(text, kChangeFields);
  auto* change = std::get_if<Change>(&read);
  if (change && change->change.locks) {
    change->declared = {text.size(), elements_of(*change->change.locks)};
  }
  return read;
}

}  // namespace sluice
