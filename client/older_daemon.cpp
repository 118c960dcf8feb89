#include "client/older_daemon.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <utility>

#include "client/answer.h"

namespace sluice {
namespace {
namespace json = boost::json;

/// Of version 1.0. A field that changes what is asked for is not among them: the daemon's refusal
/// is then the answer.
constexpr std::array<std::string_view, 5> kNewerFields{"parent", "variant", "batch",
                                                       "batch_waiting", "batch_unfinished"};

bool is_of_batch(std::string_view field) { return field.starts_with("batch"); }

}  // namespace

std::optional<std::string> refused_newer_field(const ClientReply& reply) {
  if (reply.status != 400) return std::nullopt;
  auto error = read_error(reply);
  const bool is_newer = error && error->code == "unknown_field" &&
                        std::ranges::find(kNewerFields, error->field) != kNewerFields.end();
  return is_newer ? std::optional(std::move(error->field)) : std::nullopt;
}

std::string without_newer_fields(std::string body, std::string_view refused) {
  json::error_code problem;
  json::value value = json::parse(body, problem);
  json::object* fields = problem ? nullptr : value.if_object();
  std::size_t erased = 0;
  for (const std::string_view name : kNewerFields) {
    // A daemon without batches may know the others.
    if (is_of_batch(refused) && !is_of_batch(name)) continue;
    erased += fields ? fields->erase(name) : 0;
  }
  return erased == 0 ? body : json::serialize(value);
}

std::optional<std::string> older_daemon_sentence(const ClientReply& reply,
                                                 const std::string& place) {
  const auto error = reply.status == 400 ? read_error(reply) : std::nullopt;
  if (!error || !error->code.starts_with("unknown_")) return std::nullopt;
  const std::string kind = error->code.substr(std::string_view("unknown_").size());
  if (kind != "field" && kind != "parameter") return std::nullopt;
  return "the daemon at " + place + " is older than this command and does not know the " + kind +
         " `" + error->field + "`: restart the daemon with this version of Sluice";
}

}  // namespace sluice
