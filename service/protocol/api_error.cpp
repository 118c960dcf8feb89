#include "service/protocol/api_error.h"

#include "base/json_writer.h"
#include "service/protocol/api_version.h"
#include "sluice/version.h"
#include "status/refusal_json.h"

namespace sluice {
namespace {

int status_of(RefusalCode code) {
  switch (code) {
    case RefusalCode::impossible:
    case RefusalCode::rule:
    case RefusalCode::dependency:
    case RefusalCode::invalid:
      return 422;
    case RefusalCode::max_pending:
      return 429;
    default:
      return 503;
  }
}

/// The field at fault; empty if none in particular.
std::string field_of(const Refusal& refusal) {
  if (refusal.code == RefusalCode::dependency) return "after";
  if (refusal.code != RefusalCode::impossible) return "";
  if (refusal.binding.empty() || refusal.binding == "window") return "cost";
  if (refusal.binding == "memory") return "memory";
  return "resources." + std::string(refusal.binding);
}

}  // namespace

ApiError refused(const Refusal& refusal, const JobNames& names) {
  return {status_of(refusal.code), std::string(to_string(refusal.code)),
          to_sentence(refusal, names), field_of(refusal), refusal};
}

ApiError bad_field(std::string field, std::string message) {
  std::string text = "`" + field + "` " + std::move(message);
  return {400, "bad_value", std::move(text), std::move(field)};
}

ApiError bad_content(std::string field, const std::string& problem) {
  std::string text = "`" + field + "`: " + problem;
  return {400, "bad_value", std::move(text), std::move(field)};
}

ApiError stopping_error(const std::string& more) { return {503, "stopping", kStopping + more}; }

ApiError invalid(BadRequest bad) {
  std::string text = "`" + bad.field + "`: " + bad.message;
  return {422, "invalid", std::move(text), std::move(bad.field)};
}

http::Response to_response(const ApiError& error, const JobNames& names) {
  http::Response response;
  response.status = error.status;
  JsonWriter json(response.body);
  json.begin_object().key("error").begin_object();
  json.member("code", error.code).member("message", error.message);
  json.member_or_null("field", error.field);
  // A client of another version then knows why.
  const bool is_not_known = error.code == "unknown_field" || error.code == "unknown_parameter" ||
                            error.code == "not_available";
  if (is_not_known) json.member("version", kVersion).member("api", kApiVersion);
  json.end_object();
  if (error.refusal) {
    json.key("refusal");
    write_refusal(json, *error.refusal, names);
  }
  json.end_object();
  if (error.status == 405) response.headers = "Allow: " + error.allow + "\r\n";
  if (error.status == 401) response.headers = "WWW-Authenticate: Bearer\r\n";
  // Jobs take minutes, so an immediate retry only adds load.
  if (error.status == 429) response.headers = "Retry-After: 10\r\n";
  if (error.status == 503) response.headers = "Retry-After: 30\r\n";
  if (error.code == "record_busy") response.headers = "Retry-After: 1\r\n";
  return response;
}

http::Response answer_error(int status, std::string_view code, std::string_view message) {
  return to_response({status, std::string(code), std::string(message)});
}

}  // namespace sluice
