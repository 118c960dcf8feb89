#include "kubernetes_world.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "contents.h"

namespace sluice::testing {
namespace {

void run(const std::string& line) {
  EXPECT_EQ(std::system((line + " >/dev/null 2>&1").c_str()), 0) << line;  // NOLINT(cert-env33-c)
}

/// Creates an authority, and a certificate of 127.0.0.1 that it signs.
void make_certificates(const TemporaryFolder& folder, const std::string& authority) {
  const auto at = [&](const std::string& name) { return folder.path(name); };
  run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" +
      authority + " -keyout " + at(authority + ".key") + " -out " + at(authority + ".crt"));
  if (authority != "authority") return;
  write_file(at("names"), "subjectAltName=IP:127.0.0.1\n");
  run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=api -keyout " +
      at("server.key") + " -out " + at("server.csr"));
  run("openssl x509 -req -days 2 -in " + at("server.csr") + " -CA " + at("authority.crt") +
      " -CAkey " + at("authority.key") + " -CAcreateserial -extfile " + at("names") + " -out " +
      at("server.crt"));
}

}  // namespace

std::string KubernetesWorld::missing() {
  for (const char* program : {"/usr/bin/openssl", "/usr/bin/python3"}) {
    if (access(program, X_OK) != 0) return std::string(program) + " is not there";
  }
  return "";
}

KubernetesWorld::KubernetesWorld(const std::string& state) {
  make_certificates(folder, "authority");
  set_accepted_token("first-token");
  set_own_token("first-token");
  set_state(state);
  write_file(account.path("namespace"), "ci");
  std::filesystem::copy_file(folder.path("authority.crt"), account.path("ca.crt"));
  process_ = std::make_unique<CommandRunner>(
      std::vector<std::string>{"/usr/bin/python3", SLUICE_SOURCE "/tests/support/api_server.py",
                               folder.path(".")},
      folder.path("."));
  EXPECT_TRUE(eventually([&] { return !contents_of(folder.path("port")).empty(); }))
      << process_->err();
}

KubernetesOptions KubernetesWorld::options(WorkloadKind kind) const {
  KubernetesOptions options;
  options.kind = kind;
  options.name = "executor";
  options.server = "https://127.0.0.1:" + contents_of(folder.path("port"));
  options.account = account.path(".");
  options.timeout = std::chrono::seconds(10);
  return options;
}

void KubernetesWorld::set_state(const std::string& state) {
  write_file(folder.path("state.json"), state);
}

void KubernetesWorld::trust_another_authority() {
  make_certificates(folder, "stranger");
  std::filesystem::copy_file(folder.path("stranger.crt"), account.path("ca.crt"),
                             std::filesystem::copy_options::overwrite_existing);
}

boost::json::object KubernetesWorld::state() const {
  return boost::json::parse(contents_of(folder.path("state.json"))).as_object();
}

std::vector<std::string> KubernetesWorld::requests() const {
  std::istringstream lines(contents_of(folder.path("requests.jsonl")));
  std::vector<std::string> requests;
  for (std::string line; std::getline(lines, line);) {
    const boost::json::value request = boost::json::parse(line);
    const auto text = [&](const char* name) {
      return std::string(request.at(name).as_string().c_str());
    };
    const std::string body = text("body");
    requests.push_back(text("method") + " " + text("target") + (body.empty() ? "" : " " + body));
  }
  return requests;
}

}  // namespace sluice::testing
