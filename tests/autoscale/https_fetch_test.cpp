// The certificates that a request trusts.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "fetching.h"
#include "kubernetes_world.h"

namespace sluice::fetch_test {
namespace {
using testing::KubernetesWorld;

class HttpsFetchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = KubernetesWorld::missing(); !missing.empty()) {
      GTEST_SKIP() << "SKIPPED: " << missing;
    }
    world_.emplace(R"({"kind": "deployments", "replicas": 0, "pods": []})");
    place_ = std::get<Endpoint>(parse_endpoint(world_->options().server));
  }

  /// The outcome of a request that trusts the authorities in this file.
  std::string trusting(const std::string& authorities) const {
    HttpCall call = get("/version");
    call.authorities = authorities;
    return problem_of(fetch(place_, call));
  }

  std::optional<KubernetesWorld> world_;
  Endpoint place_;
};

TEST_F(HttpsFetchTest, TrustsTheGivenAuthority) {
  EXPECT_EQ(trusting(world_->folder.path("authority.crt")), "status 401");
}

TEST_F(HttpsFetchTest, TrustsNoCertificateOfAnotherAuthority) {
  if (std::filesystem::exists(kSystemAuthorities)) {
    EXPECT_TRUE(has(trusting(kSystemAuthorities), "its certificate is not trusted: "));
  }
  world_->trust_another_authority();
  EXPECT_TRUE(has(trusting(world_->account.path("ca.crt")), "its certificate is not trusted: "));
  EXPECT_TRUE(world_->requests().empty());
}

TEST_F(HttpsFetchTest, TrustsNoCertificateOfAnotherHost) {
  place_.host = "localhost";
  const std::string problem = trusting(world_->folder.path("authority.crt"));
  EXPECT_TRUE(has(problem, "its certificate is not trusted: ")) << problem;
  EXPECT_TRUE(has(problem, "localhost")) << problem;
  EXPECT_TRUE(world_->requests().empty());
}

TEST_F(HttpsFetchTest, AChainMustEndAtAnAuthorityThatSignedItself) {
  EXPECT_TRUE(has(trusting(world_->folder.path("server.crt")), "its certificate is not trusted: "));
}

TEST_F(HttpsFetchTest, NamesTheFileThatHasNoAuthorities) {
  for (const std::string& file :
       {world_->folder.path("none"), world_->folder.path("names"), std::string()}) {
    EXPECT_EQ(trusting(file),
              "127.0.0.1:" + place_.port + ": " + file + ": no CA certificates can be read there");
  }
}

}  // namespace
}  // namespace sluice::fetch_test
