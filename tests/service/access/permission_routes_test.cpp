// Permissions as the routes enforce them, without sockets: every route, and no way around them.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>

#include "fixture.h"
#include "service/api/routes.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

constexpr uid_t kRoutesAnn = 1001, kRoutesBob = 1002;
constexpr gid_t kRoutesCi = 2000;
constexpr const char* kRoutesToken = "a-token-of-24-characters";

http::Peer local_peer(uid_t user) { return {http::Transport::unix_socket, 42, user, {kRoutesCi}}; }

class PermissionRoutes : public ::testing::Test {
 protected:
  PermissionRoutes() {
    Access access;
    access.groups = {kRoutesCi};
    access.token = std::get<BearerToken>(BearerToken::parse(kRoutesToken));
    bench.routes->set_access(std::move(access));
  }

  /// A reply; status 0 if it is deferred.
  http::Response ask(const http::Peer& peer, std::string_view method, std::string_view target,
                     std::string_view body = "", std::string_view authorization = "") {
    http::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.host = "localhost";
    request.authorization = authorization;
    request.connection = http::ConnectionId{++connection_};
    request.peer = peer;
    http::Response held;
    held.status = 0;
    return bench.ask(request).value_or(held);
  }

  Bench bench;
  const http::Peer network{http::Transport::tcp, 0, {}, {}};

 private:
  std::uint64_t connection_ = 0;
};

/// Adds a parameter that no route has: a permitted client gets an error, and nothing happens.
std::string target_of(const Route& route) {
  std::string target(route.path);
  if (const auto any = target.find('*'); any != target.npos) target.replace(any, 1, "default");
  return target + "?x=1";
}

TEST_F(PermissionRoutes, WhatIsNoGetIsNoReading) {
  for (const auto& route : bench.routes->table()) {
    EXPECT_EQ(route.method == "GET", route.act == Action::read) << route.method << target_of(route);
    if (route.act != Action::modify) continue;
    EXPECT_TRUE(std::string(route.path).find("/*", 1) != std::string::npos)
        << "its third part is the job";
  }
}

TEST_F(PermissionRoutes, OverTcpEveryRouteThatIsNoGetTakesTheToken) {
  for (const auto& route : bench.routes->table()) {
    const http::Response without = ask(network, route.method, target_of(route));
    const http::Response with =
        ask(network, route.method, target_of(route), "", "Bearer " + std::string(kRoutesToken));
    const bool reads = route.method == "GET";
    EXPECT_EQ(without.status == 401, !reads) << route.method << target_of(route);
    EXPECT_EQ(with.status, 400) << target_of(route);
    EXPECT_EQ(without.headers, reads ? "" : "WWW-Authenticate: Bearer\r\n");
  }
}

TEST_F(PermissionRoutes, AStrangerGetsNothing) {
  const http::Peer stranger{http::Transport::unix_socket, 42, kRoutesAnn, {7}};
  for (const auto& route : bench.routes->table()) {
    const std::string auth = "Bearer " + std::string(kRoutesToken);
    EXPECT_EQ(ask(stranger, route.method, target_of(route), "", auth).status, 403)
        << route.method << target_of(route);
  }
  EXPECT_EQ(ask(stranger, "GET", "/nowhere").status, 403);
}

TEST_F(PermissionRoutes, AUserIsRefusedWhatConcernsAll) {
  for (const auto& route : bench.routes->table()) {
    const int status = ask(local_peer(kRoutesAnn), route.method, target_of(route)).status;
    EXPECT_EQ(status, route.act == Action::operate ? 403 : 400) << route.method << target_of(route);
  }
}

TEST_F(PermissionRoutes, WhoWaitsForAnothersJobDoesNotKeepItAlive) {
  const auto deadline_in = [&](const char* job) {
    const http::Response shown = ask(local_peer(kRoutesAnn), "GET", job);
    return json::parse(shown.body).at("lease").at("deadline_in").to_number<double>();
  };
  ask(local_peer(kRoutesAnn), "POST", "/v1/jobs", R"({"id":"a","cost":5,"heartbeat":"60s"})");
  bench.now += std::chrono::seconds(30);
  EXPECT_EQ(ask(local_peer(kRoutesBob), "GET", "/v1/jobs/a?wait=1s").status, 200);
  EXPECT_EQ(deadline_in("/v1/jobs/a"), 30);
  EXPECT_EQ(ask(local_peer(kRoutesAnn), "GET", "/v1/jobs/a?wait=1s").status, 200);
  EXPECT_EQ(deadline_in("/v1/jobs/a"), 60);
}

TEST_F(PermissionRoutes, WhoWaitsForAnothersPendingJobDoesNotKeepItAliveEither) {
  ask(local_peer(kRoutesAnn), "POST", "/v1/jobs", R"({"id":"full","cost":20})");
  for (const bool is_own : {false, true}) {
    ask(local_peer(kRoutesAnn), "POST", "/v1/jobs", R"({"id":"a","cost":5,"heartbeat":"1s"})");
    http::Request waiting;
    waiting.peer = local_peer(is_own ? kRoutesAnn : kRoutesBob);
    waiting.method = "GET";
    waiting.target = "/v1/jobs/a?wait=60s";
    EXPECT_FALSE(bench.ask(waiting));
    bench.now += std::chrono::seconds(2);
    bench.routes->jobs().tick(bench.now);
    const http::Response shown = ask(local_peer(kRoutesAnn), "GET", "/v1/jobs/a");
    EXPECT_EQ(json::parse(shown.body).at("state"), is_own ? "pending" : "finished");
  }
}

TEST_F(PermissionRoutes, ThePermitOfAJobThatHasWaitedIsToldToItsOwnerAlone) {
  ask(local_peer(kRoutesAnn), "POST", "/v1/jobs", R"({"id":"full","cost":20})");
  ask(local_peer(kRoutesAnn), "POST", "/v1/jobs", R"({"id":"a","cost":5})");
  constexpr std::uint64_t kOwner = 3, kOther = 4;
  for (const std::uint64_t connection : {kOwner, kOther}) {
    http::Request waiting;
    waiting.peer = local_peer(connection == kOwner ? kRoutesAnn : kRoutesBob);
    waiting.method = "GET";
    waiting.target = "/v1/jobs/a?wait=60s";
    waiting.connection = http::ConnectionId{connection};
    EXPECT_FALSE(bench.ask(waiting));
  }
  ask(local_peer(kRoutesAnn), "DELETE", "/v1/jobs/full");
  ASSERT_TRUE(bench.pump_until([&] { return bench.replies.size() == 2; }));
  for (const auto& [connection, reply] : bench.replies) {
    const json::object job = json::parse(reply.body).as_object();
    EXPECT_EQ(job.at("state"), "running");
    EXPECT_EQ(job.contains("permit"), connection == kOwner) << reply.body;
  }
}

TEST_F(PermissionRoutes, AReaderHoldsNoAnswerBack) {
  const http::Response response = ask(network, "GET", "/v1/jobs/1?wait=1s");
  EXPECT_EQ(response.status, 404);
  ask(local_peer(kRoutesAnn), "POST", "/v1/jobs", R"({"cost":5})");
  const http::Response refused = ask(network, "GET", "/v1/jobs/1?wait=1s");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(json::parse(refused.body).at("error").at("field"), "wait");
}

TEST_F(PermissionRoutes, WhatCameOverTcpIsForTheTrusted) {
  const std::string auth = "Bearer " + std::string(kRoutesToken);
  const http::Response submitted = ask(network, "POST", "/v1/jobs", R"({"id":"t","cost":5})", auth);
  ASSERT_EQ(submitted.status, 201) << submitted.body;
  EXPECT_TRUE(json::parse(submitted.body).at("user").is_null());
  EXPECT_EQ(ask(local_peer(kRoutesAnn), "DELETE", "/v1/jobs/t").status, 403);
  EXPECT_EQ(ask(network, "DELETE", "/v1/jobs/t").status, 401);
  EXPECT_EQ(ask(network, "DELETE", "/v1/jobs/t", "", auth).status, 200);
}

TEST_F(PermissionRoutes, WhereNobodyCanTellWhoseAProcessIsUsersNameNoOther) {
  EXPECT_EQ(ask(local_peer(kRoutesAnn), "POST", "/v1/jobs", R"({"cost":5,"pid":7})").status, 400);
  EXPECT_EQ(ask(local_peer(kRoutesAnn), "POST", "/v1/jobs", R"({"cost":5,"pid":"peer"})").status,
            201);
  EXPECT_EQ(ask(local_peer(0), "POST", "/v1/jobs", R"({"cost":5,"pid":7})").status, 201);
}

TEST_F(PermissionRoutes, NoAnswerRepeatsTheToken) {
  for (const std::string& sent : {std::string(kRoutesToken), "Bearer " + std::string(kRoutesToken),
                                  "Bearer " + std::string(kRoutesToken) + "x"}) {
    for (const auto& route : bench.routes->table()) {
      const http::Response answer = ask(network, route.method, target_of(route), "{}", sent);
      EXPECT_EQ(answer.body.find(kRoutesToken), std::string::npos) << target_of(route);
      EXPECT_EQ(answer.headers.find(kRoutesToken), std::string::npos) << target_of(route);
    }
  }
}

}  // namespace
}  // namespace sluice::testing
