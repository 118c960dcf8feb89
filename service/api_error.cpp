#include "service/api_error.h"

#include "service/json_writer.h"
#include "service/view.h"

namespace sluice {

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

Response to_response(const ApiError& error) {
  Response response;
  response.status = error.status;
  JsonWriter json(response.body);
  json.begin_object().key("error").begin_object();
  json.member("code", error.code).member("message", error.message).key("field");
  error.field.empty() ? json.null() : json.value(error.field);
  json.end_object();
  if (error.refusal) {
    json.key("refusal");
    write_refusal(json, *error.refusal);
  }
  json.end_object();
  // Jobs take minutes: who asks again at once only adds to the load.
  if (error.status == 429) response.headers = "Retry-After: 10\r\n";
  if (error.status == 503) response.headers = "Retry-After: 30\r\n";
  return response;
}

}  // namespace sluice
