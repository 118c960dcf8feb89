#include "client/older_daemon.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "client/answer.h"

namespace sluice {
namespace {
namespace json = boost::json;

/// Of version 1.0. A field that changes what is asked for is not among them: the daemon's refusal
/// is then the answer.
constexpr std::array<std::string_view, 2> kNewerFields{"parent", "variant"};

}  // namespace

bool refuses_newer_field(const ClientReply& reply) {
  if (reply.status != 400) return false;
  const auto answer = read_answer(reply, "");
  const auto* error = std::get_if<DaemonError>(&answer);
  return error && error->code == "unknown_field" &&
         std::ranges::find(kNewerFields, error->field) != kNewerFields.end();
}

std::string without_newer_fields(std::string body) {
  json::error_code problem;
  json::value value = json::parse(body, problem);
  json::object* fields = problem ? nullptr : value.if_object();
  std::size_t erased = 0;
  for (const std::string_view name : kNewerFields) erased += fields ? fields->erase(name) : 0;
  return erased == 0 ? body : json::serialize(value);
}

}  // namespace sluice
