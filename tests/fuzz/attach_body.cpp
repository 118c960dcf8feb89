// The description of the descriptors that an executor sends.
#include "service/protocol/attach_body.h"

#include "base/json_writer.h"
#include "support/fuzz.h"

void sluice::fuzz::one_input(std::string_view text) {
  const auto parsed = parse_attach_body(text);
  if (const auto* error = std::get_if<ApiError>(&parsed)) {
    return require(error->status == 400 && !error->message.empty(), "an error says what is wrong");
  }
  const auto& directories = std::get<0>(parsed);
  require(!directories.empty() && directories.size() <= 8, "there is one, and not too many");
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("directories").begin_array();
  for (const SentDirectory& each : directories) {
    json.begin_object().member("controllers", each.controllers);
    json.member("path", each.path).end_object();
  }
  json.end_array().end_object();
  const auto again = parse_attach_body(body);
  require(again.index() == 0 && std::get<0>(again).size() == directories.size(),
          "what is said can be read");
}
