#include "autoscale/kubernetes_api.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "autoscale/http_fetch.h"
#include "autoscale/json_reading.h"
#include "base/errno_text.h"
#include "base/file_contents.h"
#include "base/json_writer.h"
#include "base/target.h"

namespace sluice {
namespace {

using ApiResult = std::variant<ClientReply, std::string>;

constexpr std::string_view kMergePatch = "application/merge-patch+json";

/// The file without its last newline; nullopt if it cannot be read.
std::optional<std::string> line_in(const std::string& path) {
  auto text = file_contents(path);
  while (text && (text->ends_with('\n') || text->ends_with('\r'))) text->pop_back();
  return text;
}

bool may_stand_in_header(unsigned char c) { return c > ' ' && c < 0x7f; }

std::string server_of(const KubernetesOptions& options) {
  if (!options.server.empty()) return options.server;
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (!host || !port) return "";
  const bool six = std::strchr(host, ':') != nullptr;
  return "https://" + (six ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
}

/// The API server's message in an answer other than 200.
std::string refusal_of(const ClientReply& reply, const std::string& target) {
  std::string told = "the API server answers " + std::to_string(reply.status) + " to " + target;
  if (reply.status == 401) told += ": the token is not accepted (expired?)";
  return told + message_in(reply.body, "/message", 300);
}

}  // namespace

KubernetesApi::Paths KubernetesApi::paths() const {
  std::string space = options_.space;
  if (space.empty()) {
    const std::string file = options_.account + "/namespace";
    const auto told = line_in(file);
    if (!told || told->empty()) {
      return {"", "", file + " names no namespace; give --namespace"};
    }
    space = *told;
  }
  space = "/namespaces/" + percent_encode(space);
  const bool set = options_.kind == WorkloadKind::stateful_set;
  return {"/apis/apps/v1" + space + (set ? "/statefulsets/" : "/deployments/") +
              percent_encode(options_.name),
          "/api/v1" + space + "/pods", ""};
}

ApiResult KubernetesApi::ask(const std::string& method, const std::string& target,
                             const std::string& body) const {
  const std::string server = server_of(options_);
  if (server.empty()) {
    return std::string(
        "KUBERNETES_SERVICE_HOST is not set, so this is not a pod; give the API server "
        "with --kubernetes-api");
  }
  const auto place = parse_endpoint(server);
  const auto* known = std::get_if<Endpoint>(&place);
  if (!known || known->kind != Endpoint::Kind::tls) {
    return "`" + server + "` must be https://HOST:PORT: the token is a secret";
  }
  const auto token = line_in(options_.account + "/token");
  if (!token) return errno_text(options_.account + "/token");
  if (token->empty() || !std::all_of(token->begin(), token->end(), may_stand_in_header)) {
    return options_.account + "/token holds no token";
  }
  HttpCall call{
      method, target, body, std::string(kMergePatch), *token, options_.account + "/ca.crt"};
  ApiResult reply = http_fetch(*known, call, Clock::now() + options_.timeout);
  if (const auto* answer = std::get_if<ClientReply>(&reply); answer && answer->status != 200) {
    return refusal_of(*answer, target);
  }
  return reply;
}

std::variant<WorkloadScale, std::string> KubernetesApi::scale() const {
  const Paths where = paths();
  if (!where.problem.empty()) return where.problem;
  const ApiResult reply = ask("GET", where.workload + "/scale");
  if (const auto* problem = std::get_if<std::string>(&reply)) return *problem;
  return parse_scale(std::get<ClientReply>(reply).body);
}

std::variant<std::vector<Pod>, std::string> KubernetesApi::pods(const WorkloadScale& scale) const {
  const ApiResult reply =
      ask("GET", paths().pods + "?labelSelector=" + percent_encode(scale.selector));
  if (const auto* problem = std::get_if<std::string>(&reply)) return *problem;
  return parse_pods(std::get<ClientReply>(reply).body);
}

KubernetesApi::Problem KubernetesApi::set_replicas(const WorkloadScale& scale,
                                                   std::int64_t replicas) const {
  const std::string body = json_text([&](JsonWriter& json) {
    json.begin_object().key("metadata").begin_object();
    json.member("resourceVersion", scale.version).end_object().key("spec").begin_object();
    json.member("replicas", replicas).end_object().end_object();
  });
  const ApiResult reply = ask("PATCH", paths().workload + "/scale", body);
  if (const auto* problem = std::get_if<std::string>(&reply)) return *problem;
  const auto now = parse_scale(std::get<ClientReply>(reply).body);
  if (const auto* problem = std::get_if<std::string>(&now)) return *problem;
  if (std::get<WorkloadScale>(now).replicas == replicas) return std::nullopt;
  return "the API server was told to have " + std::to_string(replicas) + " replicas and reports " +
         std::to_string(std::get<WorkloadScale>(now).replicas);
}

KubernetesApi::Problem KubernetesApi::set_deletion_cost(const std::string& pod,
                                                        std::optional<std::int64_t> cost) const {
  const std::string body = json_text([&](JsonWriter& json) {
    json.begin_object().key("metadata").begin_object().key("annotations").begin_object();
    json.member_or_null("controller.kubernetes.io/pod-deletion-cost",
                        cost ? std::to_string(*cost) : "");
    json.end_object().end_object().end_object();
  });
  const ApiResult reply = ask("PATCH", paths().pods + "/" + percent_encode(pod), body);
  if (const auto* problem = std::get_if<std::string>(&reply)) return *problem;
  return std::nullopt;
}

}  // namespace sluice
