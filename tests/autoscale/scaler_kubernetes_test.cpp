#include "autoscale/scaler_kubernetes.h"

#include <gtest/gtest.h>

#include "autoscale/fleet_source.h"
#include "kubernetes_world.h"

namespace sluice {
namespace {

using testing::KubernetesWorld;

using Names = std::vector<std::string>;

const char* const kThree =
    R"({"kind": "deployments", "replicas": 3, "pods": [
        {"name": "executor-a", "address": "10.0.0.1"}, {"name": "executor-b", "address": "10.0.0.2"},
        {"name": "executor-c", "address": "10.0.0.3"}]})";

class KubernetesScalerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = KubernetesWorld::missing(); !missing.empty()) {
      GTEST_SKIP() << "SKIPPED: " << missing;
    }
  }
};

std::int64_t replicas(const KubernetesWorld& world) {
  return world.state().at("replicas").to_number<std::int64_t>();
}

Names gone(const KubernetesWorld& world) {
  Names names;
  const auto state = world.state();
  if (!state.contains("gone")) return names;
  for (const auto& each : state.at("gone").as_array()) names.emplace_back(each.as_string().c_str());
  return names;
}

TEST_F(KubernetesScalerTest, AddsByRaisingTheNumberOfReplicas) {
  KubernetesWorld world(kThree);
  const KubernetesApi api(world.options());
  const ScalerReply reply = KubernetesScaler(api).add({"new-1", "new-2"});
  EXPECT_EQ(reply.problem, "");
  EXPECT_EQ(reply.done, (Names{"new-1", "new-2"}));
  EXPECT_EQ(replicas(world), 5);
  const std::string scale = "/apis/apps/v1/namespaces/ci/deployments/executor/scale";
  EXPECT_EQ(
      world.requests(),
      (Names{"GET " + scale,
             "PATCH " + scale + R"( {"metadata":{"resourceVersion":"1"},"spec":{"replicas":5}})"}));
}

TEST_F(KubernetesScalerTest, MarksThePodThatGoesBeforeItLowersTheNumber) {
  KubernetesWorld world(kThree);
  const KubernetesApi api(world.options());
  const ScalerReply reply = KubernetesScaler(api).remove({"executor-b"});
  EXPECT_EQ(reply.problem, "");
  EXPECT_EQ(reply.done, Names{"executor-b"});
  EXPECT_EQ(gone(world), Names{"executor-b"});
  const Names requests = world.requests();
  ASSERT_EQ(requests.size(), 6U);
  EXPECT_EQ(requests[2],
            "PATCH /api/v1/namespaces/ci/pods/executor-b {\"metadata\":{\"annotations\":{"
            "\"controller.kubernetes.io/pod-deletion-cost\":\"-2147483647\"}}}");
  EXPECT_NE(requests[5].find("\"replicas\":2"), std::string::npos) << requests[5];
}

TEST_F(KubernetesScalerTest, RemovesNobodyWhileKubernetesMightTakeAnother) {
  struct Case {
    const char* state;
    const char* reason;
  };
  const Case cases[] = {{R"({"kind": "deployments", "replicas": 2, "pods": [{"name": "executor-a"},
           {"name": "executor-b", "ready": false}]})",
                         "executor-b is not ready"},
                        {R"({"kind": "deployments", "replicas": 2, "pods": [{"name": "executor-a"},
           {"name": "executor-b", "revision": "2"}]})",
                         "changing its version"},
                        {R"({"kind": "deployments", "replicas": 2, "pods": [{"name": "executor-a"},
           {"name": "executor-b", "annotations":
            {"controller.kubernetes.io/pod-deletion-cost": "-2147483648"}}]})",
                         "the lowest possible pod-deletion-cost"},
                        {R"({"kind": "deployments", "replicas": 3, "pods": [{"name": "executor-a"},
           {"name": "executor-b"}]})",
                         "3 pods are wanted and 2 exist"}};
  KubernetesWorld world(kThree);
  const KubernetesApi api(world.options());
  for (const Case& each : cases) {
    world.set_state(each.state);
    const ScalerReply reply = KubernetesScaler(api).remove({"executor-a"});
    EXPECT_TRUE(reply.done.empty());
    EXPECT_NE(reply.problem.find(each.reason), std::string::npos) << reply.problem;
    EXPECT_TRUE(gone(world).empty());
  }
}

TEST_F(KubernetesScalerTest, AStatefulSetLosesItsHighestNumbersAlone) {
  KubernetesWorld world(
      R"({"kind": "statefulsets", "replicas": 3, "pods": [
          {"name": "executor-8"}, {"name": "executor-9"}, {"name": "executor-10"}]})");
  const KubernetesApi api(world.options(WorkloadKind::stateful_set));
  KubernetesScaler scaler(api);
  const Removable none = scaler.removable({"executor-9"});
  EXPECT_TRUE(none.ids.empty());
  EXPECT_EQ(none.reason, "a StatefulSet removes executor-10 first, which is not drained");
  EXPECT_EQ(scaler.removable({"executor-8", "executor-10"}).ids, Names{"executor-10"});
  EXPECT_EQ(scaler.remove({"executor-9", "executor-10"}).problem, "");
  EXPECT_EQ(gone(world), (Names{"executor-10", "executor-9"}));
}

TEST_F(KubernetesScalerTest, ReadsTheTokenAgainForEachRequest) {
  KubernetesWorld world(kThree);
  const KubernetesApi api(world.options());
  EXPECT_TRUE(std::holds_alternative<WorkloadScale>(api.scale()));
  world.set_accepted_token("second-token");
  const auto expired = api.scale();
  ASSERT_TRUE(std::holds_alternative<std::string>(expired));
  EXPECT_NE(std::get<std::string>(expired).find("401"), std::string::npos)
      << std::get<std::string>(expired);
  world.set_own_token("second-token");
  EXPECT_TRUE(std::holds_alternative<WorkloadScale>(api.scale()));
}

TEST_F(KubernetesScalerTest, TellsWhatTheApiServerRefuses) {
  KubernetesWorld world(kThree);
  const KubernetesApi api(world.options());
  for (const std::string status : {"403", "409", "500"}) {
    world.set_mode(status + " PATCH /scale");
    const ScalerReply reply = KubernetesScaler(api).add({"new"});
    EXPECT_TRUE(reply.done.empty());
    EXPECT_NE(reply.problem.find(status), std::string::npos) << reply.problem;
    EXPECT_NE(reply.problem.find("made to fail"), std::string::npos) << reply.problem;
  }
  EXPECT_EQ(replicas(world), 3);
}

TEST_F(KubernetesScalerTest, NoticesAnApiServerThatChangesNothing) {
  KubernetesWorld world(kThree);
  const KubernetesApi api(world.options());
  world.set_mode("lie PATCH /scale");
  const ScalerReply reply = KubernetesScaler(api).add({"new"});
  EXPECT_TRUE(reply.done.empty());
  EXPECT_EQ(reply.problem, "the API server was told to have 4 replicas and reports 3");
}

TEST_F(KubernetesScalerTest, DoesNotWaitLongerThanItMay) {
  KubernetesWorld world(kThree);
  KubernetesOptions options = world.options();
  options.timeout = std::chrono::milliseconds(300);
  const KubernetesApi api(options);
  world.set_mode("hang PATCH /scale");
  const TimePoint before = Clock::now();
  const ScalerReply reply = KubernetesScaler(api).add({"new"});
  EXPECT_NE(reply.problem.find("no answer in time"), std::string::npos) << reply.problem;
  EXPECT_LT(Clock::now() - before, std::chrono::seconds(20));
}

TEST_F(KubernetesScalerTest, TrustsNobodyItsAuthorityDoesNot) {
  KubernetesWorld world(kThree);
  world.trust_another_authority();
  const KubernetesApi api(world.options());
  const auto scale = api.scale();
  ASSERT_TRUE(std::holds_alternative<std::string>(scale));
  EXPECT_NE(std::get<std::string>(scale).find("certificate is not trusted"), std::string::npos)
      << std::get<std::string>(scale);
  EXPECT_TRUE(world.requests().empty()) << "the token must not be sent";
}

TEST_F(KubernetesScalerTest, TrustsNoCertificateOfAnotherName) {
  KubernetesWorld world(kThree);
  KubernetesOptions options = world.options();
  options.server.replace(options.server.find("127.0.0.1"), 9, "localhost");
  const auto scale = KubernetesApi(options).scale();
  ASSERT_TRUE(std::holds_alternative<std::string>(scale));
  EXPECT_NE(std::get<std::string>(scale).find("matches target host name 'localhost'"),
            std::string::npos)
      << std::get<std::string>(scale);
}

TEST_F(KubernetesScalerTest, SendsItsTokenOverNothingButTls) {
  KubernetesWorld world(kThree);
  KubernetesOptions options = world.options();
  options.server.replace(0, 5, "http");
  const auto scale = KubernetesApi(options).scale();
  ASSERT_TRUE(std::holds_alternative<std::string>(scale));
  EXPECT_NE(std::get<std::string>(scale).find("must be https"), std::string::npos);
}

TEST_F(KubernetesScalerTest, TheMarkIsTakenBackFromAPodThatStays) {
  KubernetesWorld world(kThree);
  const KubernetesApi api(world.options());
  KubernetesScaler scaler(api);
  world.set_mode("409 PATCH /scale");
  EXPECT_NE(scaler.remove({"executor-b"}).problem, "");
  scaler.cancel_removal({"executor-b"});
  EXPECT_TRUE(gone(world).empty());
  EXPECT_TRUE(world.state().at("pods").at(1).at("annotations").as_object().empty());
}

TEST(KubernetesScaleTest, MorePodsThanTheLargestFleetAreRefusedByTheFieldsName) {
  const auto scale = [](const char* replicas) {
    return parse_scale(
        std::string(R"({"metadata": {"resourceVersion": "1"}, "spec": {"replicas": )") + replicas +
        R"(}, "status": {"selector": "a=b"}})");
  };
  EXPECT_EQ(std::get<WorkloadScale>(scale("100000")).replicas, 100000);
  EXPECT_EQ(std::get<std::string>(scale("100001")),
            "the workload's spec.replicas is 100001, and at most 100000 are supported");
  EXPECT_TRUE(std::holds_alternative<std::string>(scale("2000000000")));
  EXPECT_TRUE(std::holds_alternative<std::string>(scale("1e30")));
}

TEST_F(KubernetesScalerTest, PodsAreExecutorsAndTheMissingOnesBoot) {
  KubernetesWorld world(
      R"({"kind": "deployments", "replicas": 4, "pods": [{"name": "executor-a", "address": "::1"},
          {"name": "executor-b", "phase": "Pending", "ready": false},
          {"name": "executor-c", "address": "10.0.0.3", "leaving": true}]})");
  const KubernetesApi api(world.options());
  const auto scale = std::get<WorkloadScale>(api.scale());
  const auto pods = std::get<std::vector<Pod>>(api.pods(scale));
  const auto found = std::get<std::vector<ExecutorObservation>>(executors_of(scale, pods, "9797"));
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(to_string(found[0].place), "[::1]:9797");
  EXPECT_FALSE(found[0].booting);
  EXPECT_TRUE(found[1].booting);
  EXPECT_TRUE(found[2].leaving);
  EXPECT_TRUE(found[3].booting);
  EXPECT_TRUE(found[4].booting);
}

}  // namespace
}  // namespace sluice
