#include "base/json_writer.h"
#include "service/api/routes_table.h"
#include "service/http/received_descriptors.h"
#include "service/protocol/attach_body.h"

namespace sluice {

Routes::Answer Routes::attach(const Call& call) {
  const Request& request = call.request;
  if (request.peer.transport != Transport::unix_socket || !request.descriptors) {
    return ApiError{403, "unix_socket_only", "attach needs the Unix socket", "", {}};
  }
  auto directories = parse_attach_body(request.body);
  if (auto* error = std::get_if<ApiError>(&directories)) return std::move(*error);
  const auto result = links_.attach(request.peer, std::get<std::vector<SentDirectory>>(directories),
                                    *request.descriptors);
  if (const auto* error = std::get_if<ApiError>(&result)) return *error;
  const auto& executor = std::get<ExecutorLimits>(result);
  attached_.insert(request.connection);
  Response response;
  JsonWriter json(response.body);
  json.begin_object().member("attached", true).key("memory_limit");
  executor.memory ? json.value(executor.memory->value) : json.null();
  json.member("cpus", executor.cpus).end_object();
  response.body += '\n';
  return response;
}

}  // namespace sluice
