// Several service users of one CI host: the history of one user's jobs gives the next a warm start.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <memory>

#include "fixture.h"
#include "peer_process.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

constexpr uid_t kFirst = 4101;
constexpr gid_t kGroup = 4100;
constexpr int kUsers = 3;

json::object reply_object(const ClientReply& reply) {
  json::error_code problem;
  const json::value value = json::parse(reply.body, problem);
  return value.is_object() ? value.get_object() : json::object{};
}

class ServiceUsers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make processes of other users";
    for (int i = 0; i <= kUsers; ++i) {
      peers.push_back(std::make_unique<PeerProcess>(kFirst + static_cast<uid_t>(i), kGroup));
    }
    daemon = std::make_unique<RunningDaemon>(
        std::string(kSmallWindow) +
        "cost: {model: history}\nservice: {group: " + std::to_string(kGroup) + "}\n");
    chmod(daemon->folder.path("").c_str(), 0711);
  }

  json::object submit(const PeerProcess& peer, const std::string& id) const {
    const ClientReply reply =
        peer.ask(daemon->socket(), "POST", "/v1/jobs",
                 R"({"id":")" + id + R"(","key":"compile","program":"cc","pid":)" +
                     std::to_string(peer.pid()) + R"(,"measured":true})");
    EXPECT_EQ(reply.status, 201) << reply.body;
    return reply_object(reply);
  }
  /// A job that holds the memory of the peer's process, which the daemon measures itself.
  void run_job(const PeerProcess& peer, const std::string& id) {
    submit(peer, id);
    std::string said_last;
    ASSERT_TRUE(eventually([&] {
      const ClientReply reply = peer.ask(daemon->socket(), "POST", "/v1/jobs/" + id + "/heartbeat",
                                         R"({"usage":{"memory":1}})");
      said_last = reply.body;
      const json::object job = reply_object(reply);
      const json::value* usage = job.if_contains("usage");
      if (!usage || !usage->is_object() || usage->at("source") != "processes") return false;
      seen = usage->at("memory").to_number<double>();
      return seen > 0;
    })) << said_last;
    const std::string said = R"({"usage":{"wall":1,"cpu":0,"peak_memory":)" +
                             std::to_string(static_cast<std::uint64_t>(seen)) + "}}";
    EXPECT_EQ(peer.ask(daemon->socket(), "DELETE", "/v1/jobs/" + id, said).status, 200);
  }
  static double mean_of(const json::object& job) {
    return job.at("prediction").at("memory").at("mean").to_number<double>();
  }

  std::vector<std::unique_ptr<PeerProcess>> peers;
  std::unique_ptr<RunningDaemon> daemon;
  double seen = 0;  ///< Bytes held by the last job.
};

TEST_F(ServiceUsers, ANewOneIsPredictedByWhatTheOthersWereSeenToUse) {
  const json::object cold = submit(*peers.back(), "cold");
  ASSERT_TRUE(cold.at("prediction").is_object()) << cold;
  EXPECT_NE(cold.at("prediction").at("rung"), "key");
  peers.back()->ask(daemon->socket(), "DELETE", "/v1/jobs/cold");
  for (int i = 0; i < kUsers; ++i) {
    for (int run = 0; run < 3; ++run) {
      run_job(*peers[static_cast<std::size_t>(i)], std::to_string(i) + "-" + std::to_string(run));
    }
  }
  const json::object warm = submit(*peers.back(), "warm");
  EXPECT_EQ(warm.at("prediction").at("rung"), "key") << warm;
  EXPECT_NEAR(mean_of(warm), seen, seen / 4) << warm;
  EXPECT_GT(mean_of(cold), mean_of(warm) * 1.5) << cold;
}

}  // namespace
}  // namespace sluice::testing
