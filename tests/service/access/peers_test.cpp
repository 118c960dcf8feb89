// Permissions over the Unix socket, tested with processes of other users.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>

#include "few_descriptors.h"
#include "fixture.h"
#include "peer_process.h"
#include "thread_rights.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

constexpr uid_t kPeerAnn = 4001, kPeerBob = 4002, kPeerEve = 4003;
constexpr gid_t kPeerCi = 4000;

json::object object_of(const ClientReply& reply) {
  json::error_code problem;
  const json::value value = json::parse(reply.body, problem);
  return value.is_object() ? value.get_object() : json::object{};
}

std::string error_of(const ClientReply& reply, const char* member) {
  const json::object answer = object_of(reply);
  const json::value* error = answer.if_contains("error");
  if (!error || !error->at(member).is_string()) return "";
  return std::string(error->at(member).as_string());
}

/// "403 not_your_job"
std::string verdict(const ClientReply& reply) {
  return std::to_string(reply.status) + " " + error_of(reply, "code");
}

/// Ann and Bob are in the socket's group, Bob through a supplementary group; Eve is not.
class Peers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make processes of other users";
    ann = std::make_unique<PeerProcess>(kPeerAnn, kPeerCi);
    bob = std::make_unique<PeerProcess>(kPeerBob, kPeerBob, std::vector<gid_t>{kPeerBob, kPeerCi});
    eve = std::make_unique<PeerProcess>(kPeerEve, kPeerEve);
  }

  void serve(const std::string& options = "", http::Limits limits = {}) {
    daemon = std::make_unique<RunningDaemon>(config(options), limits);
    chmod(daemon->folder.path("").c_str(), 0711);
  }
  static std::string config(const std::string& options) {
    return std::string(kSmallWindow) + "service: {group: " + std::to_string(kPeerCi) + options +
           "}\n";
  }
  ClientReply as(const std::unique_ptr<PeerProcess>& peer, const std::string& method,
                 const std::string& target, const std::string& body = "") const {
    return peer->ask(daemon->socket(), method, target, body);
  }
  std::string state_of(const std::string& job) const {
    return std::string(object_of(daemon->ask("GET", "/v1/jobs/" + job)).at("state").as_string());
  }

  // Destroyed last to first: the daemon goes first, and the peers exist before its thread does.
  std::unique_ptr<PeerProcess> ann, bob, eve;
  std::unique_ptr<RunningDaemon> daemon;
};

TEST_F(Peers, TheSocketIsForRootAndItsGroup) {
  serve();
  struct stat there {};
  ASSERT_EQ(stat(daemon->socket().c_str(), &there), 0);
  EXPECT_EQ(there.st_gid, kPeerCi);
  EXPECT_EQ(there.st_mode & 07777, 0660u);
  EXPECT_EQ(as(ann, "GET", "/v1/status").status, 200);
  EXPECT_EQ(as(bob, "GET", "/v1/status").status, 200);
  const ClientReply shut = as(eve, "GET", "/v1/status");
  EXPECT_EQ(shut.status, 0);
  EXPECT_NE(shut.body.find("no permission"), std::string::npos) << shut.body;
}

struct OnJob {
  const char* method;
  const char* target;
  const char* body;
};

constexpr OnJob kTending[] = {
    {"PATCH", "/v1/jobs/a", R"({"locks":{"node":"exclusive:n1"}})"},
    {"POST", "/v1/jobs/a/started", ""},
    {"POST", "/v1/jobs/a/heartbeat", ""},
    {"POST", "/v1/jobs/a/heartbeat", R"({"usage":{"memory":1000}})"},
    {"DELETE", "/v1/jobs/a?outcome=failed", ""},
};

TEST_F(Peers, AUserTendsItsOwnJobs) {
  serve();
  const ClientReply submitted = as(ann, "POST", "/v1/jobs", R"({"id":"a","cost":5})");
  ASSERT_EQ(submitted.status, 201) << submitted.body;
  EXPECT_EQ(object_of(submitted).at("user"), kPeerAnn);
  for (const OnJob& each : kTending) {
    EXPECT_EQ(as(ann, each.method, each.target, each.body).status, 200) << each.target;
  }
  EXPECT_EQ(state_of("a"), "finished");
}

TEST_F(Peers, NobodyTendsAnothersJobButRoot) {
  serve();
  as(ann, "POST", "/v1/jobs", R"({"id":"a","cost":5})");
  for (const OnJob& each : kTending) {
    const ClientReply reply = as(bob, each.method, each.target, each.body);
    EXPECT_EQ(verdict(reply), "403 not_your_job") << each.target;
    EXPECT_EQ(error_of(reply, "message"),
              "job `a` belongs to user 4001: only that user, root and the daemon's user may do "
              "this");
  }
  EXPECT_EQ(state_of("a"), "running");
  EXPECT_TRUE(object_of(daemon->ask("GET", "/v1/jobs/a")).at("usage").is_null());
  EXPECT_EQ(as(bob, "GET", "/v1/jobs/a").status, 200) << "everybody who is let in may look";
  for (const OnJob& each : kTending) {
    EXPECT_EQ(daemon->ask(each.method, each.target, each.body).status, 200) << each.target;
  }
}

TEST_F(Peers, AUserMayNotTouchTheJobsOfRoot) {
  serve();
  daemon->ask("POST", "/v1/jobs", R"({"id":"a","cost":5})");
  EXPECT_EQ(verdict(as(ann, "DELETE", "/v1/jobs/a")), "403 not_your_job");
  EXPECT_EQ(verdict(as(ann, "DELETE", "/v1/jobs/1")), "403 not_your_job");
  EXPECT_EQ(verdict(as(ann, "DELETE", "/v1/jobservers/a")), "403 not_your_job");
  EXPECT_EQ(state_of("a"), "running");
}

TEST_F(Peers, OnlyRootOperates) {
  serve();
  for (const char* target : {"/v1/pause", "/v1/resume", "/v1/drain", "/v1/reload",
                             "/v1/queues/default/pause", "/v1/queues/default/resume"}) {
    EXPECT_EQ(verdict(as(ann, "POST", target)), "403 not_yours_to_operate") << target;
  }
  const json::object status = object_of(daemon->ask("GET", "/v1/status"));
  EXPECT_FALSE(status.at("paused").as_bool());
  EXPECT_FALSE(status.at("draining").as_bool());
  EXPECT_FALSE(status.at("queues").at(0).at("paused").as_bool());
  EXPECT_EQ(error_of(as(ann, "POST", "/v1/pause"), "message"),
            "user 4001 may not pause, which affects all users' jobs: only root may; use sudo, or "
            "ask an administrator");
  for (const char* target : {"/v1/pause", "/v1/resume", "/v1/drain", "/v1/reload"}) {
    EXPECT_EQ(daemon->ask("POST", target).status, 200) << target;
  }
}

TEST_F(Peers, TheListsKeepOutWhomTheFileLetsIn) {
  serve(", allow_uids: [4001]");
  EXPECT_EQ(as(ann, "GET", "/v1/status").status, 200);
  const ClientReply refused = as(bob, "GET", "/v1/status");
  EXPECT_EQ(verdict(refused), "403 not_allowed");
  EXPECT_NE(error_of(refused, "message").find("`service.allow_uids`"), std::string::npos);
  EXPECT_EQ(verdict(as(bob, "POST", "/v1/jobs")), "403 not_allowed");
  EXPECT_EQ(verdict(as(bob, "GET", "/nowhere")), "403 not_allowed");
  EXPECT_EQ(daemon->ask("GET", "/v1/status").status, 200) << "root needs no list";
  write_file(daemon->config_file, config(", allow_gids: [4002]"));
  ASSERT_EQ(daemon->ask("POST", "/v1/reload").status, 200);
  EXPECT_EQ(verdict(as(ann, "GET", "/v1/status")), "403 not_allowed");
  EXPECT_EQ(as(bob, "GET", "/v1/status").status, 200);
}

TEST_F(Peers, AnotherIsNotAnsweredByTheClientsIdOfSomebodysJob) {
  serve();
  as(ann, "POST", "/v1/jobs", R"({"id":"a","cost":5})");
  EXPECT_EQ(as(ann, "POST", "/v1/jobs", R"({"id":"a","cost":5})").status, 200);
  const ClientReply refused = as(bob, "POST", "/v1/jobs", R"({"id":"a","cost":5})");
  EXPECT_EQ(verdict(refused), "403 not_your_job");
  EXPECT_EQ(error_of(refused, "field"), "id");
  as(ann, "DELETE", "/v1/jobs/a");
  EXPECT_EQ(as(bob, "POST", "/v1/jobs", R"({"id":"a","cost":5})").status, 201) << "it is free now";
}

TEST_F(Peers, AUserNamesOnlyItsOwnProcesses) {
  serve();
  const auto naming = [](pid_t process) {
    return "{\"cost\":5,\"pid\":" + std::to_string(process) + "}";
  };
  EXPECT_EQ(as(ann, "POST", "/v1/jobs", naming(ann->pid())).status, 201);
  EXPECT_EQ(as(ann, "POST", "/v1/jobs", R"({"cost":5,"pid":"peer"})").status, 201);
  for (const char* target : {"/v1/jobs", "/v1/jobservers"}) {
    for (const pid_t others : {bob->pid(), getpid(), pid_t{1}}) {
      const ClientReply refused = as(ann, "POST", target, naming(others));
      EXPECT_EQ(verdict(refused), "403 not_your_process") << target;
      EXPECT_EQ(error_of(refused, "field"), "pid");
    }
  }
  EXPECT_EQ(verdict(as(ann, "POST", "/v1/jobs", naming(1 << 30))), "400 no_process");
  EXPECT_EQ(daemon->ask("POST", "/v1/jobs", naming(bob->pid())).status, 201);
}

TEST_F(Peers, AJobserverIsForItsUserAlone) {
  serve();
  const ClientReply opened = as(ann, "POST", "/v1/jobservers", R"({"id":"j","key":"build"})");
  ASSERT_EQ(opened.status, 201) << opened.body;
  const std::string path(object_of(opened).at("path").as_string());
  struct stat there {};
  ASSERT_EQ(lstat(path.c_str(), &there), 0);
  EXPECT_EQ(there.st_uid, kPeerAnn);
  EXPECT_EQ(there.st_mode & 07777, 0600u);
  EXPECT_EQ(verdict(as(bob, "DELETE", "/v1/jobservers/j")), "403 not_your_job");
  EXPECT_EQ(as(ann, "DELETE", "/v1/jobservers/j").status, 200);
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// Ann in the group of root, to which a daemon without rights can give its socket.
class PeersOfAPlainDaemon : public Peers {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make processes of other users";
    ann = std::make_unique<PeerProcess>(kPeerAnn, gid_t{0});
  }
  void serve() {
    daemon = std::make_unique<RunningDaemon>(std::string(kSmallWindow) + "service: {group: 0}\n");
    chmod(daemon->folder.path("").c_str(), 0711);
  }
};

TEST_F(PeersOfAPlainDaemon, GetTheFifoOfTheirJobserverIfTheDaemonHasCapChown) {
  ThreadRights rights;
  ASSERT_TRUE(rights.become(kPeerEve, CAP_CHOWN));
  serve();
  const ClientReply opened = as(ann, "POST", "/v1/jobservers", R"({"id":"j","key":"build"})");
  ASSERT_EQ(opened.status, 201) << opened.body;
  struct stat there {};
  ASSERT_EQ(lstat(std::string(object_of(opened).at("path").as_string()).c_str(), &there), 0);
  EXPECT_EQ(there.st_uid, kPeerAnn);
  daemon.reset();
}

TEST_F(PeersOfAPlainDaemon, AreToldBeforeAnythingIsQueuedThatItLacksCapChown) {
  ThreadRights rights;
  ASSERT_TRUE(rights.drop(CAP_CHOWN));
  serve();
  const ClientReply refused = as(ann, "POST", "/v1/jobservers", R"({"id":"j","key":"build"})");
  EXPECT_EQ(verdict(refused), "500 no_fifo");
  EXPECT_EQ(error_of(refused, "message"),
            "cannot give the jobserver's fifo to user 4001: Operation not permitted; the daemon "
            "lacks the capability CAP_CHOWN: start it as root, or add the drop-in for its unit in "
            "docs/operations.md");
  EXPECT_EQ(daemon->ask("GET", "/v1/jobs/j").status, 404);
  EXPECT_EQ(daemon->ask("POST", "/v1/jobservers", R"({"id":"own"})").status, 201)
      << "the daemon's user needs no gift";
  daemon.reset();
}

TEST_F(Peers, OneUserCannotTakeTheDescriptorsOfAllJobservers) {
  const FewDescriptors few(273);  // Room for 12 jobservers.
  serve();
  const auto open = [](const std::string& id) { return R"({"cost":20,"id":")" + id + R"("})"; };
  for (int each = 0; each < 6; ++each) {
    EXPECT_EQ(as(ann, "POST", "/v1/jobservers", open("ann" + std::to_string(each))).status, 201);
  }
  EXPECT_EQ(state_of("ann5"), "pending") << "what is not admitted counts as well";
  EXPECT_EQ(verdict(as(ann, "POST", "/v1/jobservers", open("more"))), "429 too_many_jobservers");
  EXPECT_EQ(daemon->ask("GET", "/v1/jobs/more").status, 404) << "it is not queued";
  EXPECT_EQ(as(ann, "POST", "/v1/jobservers", open("ann5")).status, 200) << "that is open already";
  for (int each = 0; each < 6; ++each) {
    EXPECT_EQ(as(bob, "POST", "/v1/jobservers", open("bob" + std::to_string(each))).status, 201);
  }
  EXPECT_EQ(verdict(daemon->ask("POST", "/v1/jobservers", open("root"))),
            "429 too_many_jobservers");
  EXPECT_EQ(daemon->ask("GET", "/v1/status").status, 200) << "the daemon still answers";
  EXPECT_EQ(as(ann, "DELETE", "/v1/jobservers/ann5").status, 200);
  EXPECT_EQ(daemon->ask("POST", "/v1/jobservers", open("root")).status, 201);
}

TEST_F(Peers, TheLastConnectionsAreKeptForRoot) {
  http::Limits limits;
  limits.connections = 4;
  limits.kept = 2;
  serve("", limits);
  EXPECT_EQ(ann->ask_and_stay(daemon->socket(), "GET", "/livez").status, 200);
  EXPECT_EQ(ann->ask_and_stay(daemon->socket(), "GET", "/livez").status, 200);
  const Client root = daemon->client();
  EXPECT_NE(as(ann, "GET", "/livez").status, 200);
  EXPECT_EQ(daemon->ask("GET", "/livez").status, 200);
}

TEST_F(Peers, AUserWithManyConnectionsLeavesTheLastQuarterToOthers) {
  http::Limits limits;
  limits.connections = 8;
  limits.kept = 1;
  serve("", limits);
  for (int n = 0; n < 6; ++n) {
    EXPECT_EQ(ann->ask_and_stay(daemon->socket(), "GET", "/livez").status, 200);
  }
  // A client may see the connection closed before it has sent its request.
  EXPECT_TRUE(eventually([&] {
    const ClientReply refused = as(ann, "GET", "/livez");
    EXPECT_NE(refused.status, 200);
    return error_of(refused, "message") == "too many clients: user 4001 holds 6 of 8 connections";
  }));
  EXPECT_EQ(as(bob, "GET", "/livez").status, 200);
}

/// The predicted needs of an unknown job of a program.
std::string need_of(const ClientReply& submitted) {
  const json::object answer = object_of(submitted);
  return answer.contains("prediction") ? json::serialize(answer.at("prediction")) : submitted.body;
}

TEST_F(Peers, ALiarChangesNobodyElsesPredictionsNeitherNowNorAfterARestart) {
  const TemporaryFolder state;
  const std::string options = "}\nstate_dir: " + state.path("s") + "\ncost: {model: history";
  const auto needs = [&] {
    std::vector<std::string> all;
    for (const char* what :
         {R"("program":"alloc")", R"("key":"k","program":"alloc")", R"("key":"x")"}) {
      const std::string body = std::string(R"({"id":"asks","measured":true,)") + what + "}";
      all.push_back(need_of(as(bob, "POST", "/v1/jobs", body)));
      as(bob, "DELETE", "/v1/jobs/asks");
      all.push_back(need_of(daemon->ask("POST", "/v1/jobs", body)));
      daemon->ask("DELETE", "/v1/jobs/asks");
    }
    return all;
  };
  serve(options);
  const std::vector<std::string> before = needs();
  for (const char* lie : {"576460752303423488", "900000000"}) {
    for (int job = 0; job < 4; ++job) {
      const ClientReply told = as(
          ann, "POST", "/v1/jobs",
          R"({"id":"lie","key":"k","program":"alloc","measured":true,"cost":1,"heartbeat":"60s"})");
      ASSERT_EQ(told.status, 201) << told.body;
      as(ann, "DELETE", "/v1/jobs/lie",
         std::string(R"({"usage":{"wall":1,"memory":1000,"peak_memory":)") + lie + "}}");
    }
    EXPECT_EQ(needs(), before) << lie;
  }
  daemon.reset();
  serve(options);
  EXPECT_EQ(needs(), before);
}

}  // namespace
}  // namespace sluice::testing
