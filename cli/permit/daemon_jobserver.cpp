#include "cli/permit/daemon_jobserver.h"

#include <poll.h>

#include <array>
#include <boost/json.hpp>

#include "base/readiness.h"
#include "cli/permit/outer_permit.h"
#include "client/answer.h"
#include "client/answer_fields.h"

namespace sluice::cli {
namespace json = boost::json;
namespace {

constexpr Duration kFarewell = std::chrono::seconds(1);

std::string target_of(const std::string& number) {
  return std::string(kJobserversTarget) + "/" + number;
}

std::optional<json::object> object_in(const ClientReply& reply) {
  return reply.status == 200 ? answer_object(reply) : std::nullopt;
}

}  // namespace

std::string jobserver_body(const std::string& key, const std::string& program, std::size_t most) {
  json::object body{{"hold", "connection"}, {"pid", "peer"}, {"key", key}, {"program", program}};
  add_parent(body);
  if (most > 0) body["max"] = most;
  return json::serialize(body);
}

std::optional<std::string> token_path(Client& client, const std::string& number,
                                      const SignalDescriptor& signals) {
  if (client.send("GET", target_of(number))) return std::nullopt;
  std::optional<std::variant<ClientReply, std::string>> answer;
  while (!answer) {
    std::array<pollfd, 2> ready{
        {{client.descriptor(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), -1);
    end_on_signal(signals);
    if (ready[0].revents != 0) answer = client.receive();
  }
  const auto* reply = std::get_if<ClientReply>(&*answer);
  const auto object = reply ? object_in(*reply) : std::nullopt;
  const std::string path = object ? text_at(*object, "path") : "";
  return path.empty() ? std::nullopt : std::optional(path);
}

std::optional<json::object> end_jobserver(Client& client, const std::string& number,
                                          Outcome outcome) {
  const std::string query = "?outcome=" + std::string(to_string(outcome));
  if (client.send("DELETE", target_of(number) + query)) return std::nullopt;
  if (!is_readable(client.descriptor(), kFarewell)) return std::nullopt;
  const auto answer = client.receive();
  const auto* reply = answer ? std::get_if<ClientReply>(&*answer) : nullptr;
  return reply ? object_in(*reply) : std::nullopt;
}

}  // namespace sluice::cli
