// Users with access to the socket who make false claims: real processes of another user.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "fixture.h"
#include "peer_process.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

constexpr uid_t kLiar = 4001;
constexpr int kLiars = 10;
constexpr std::uint64_t kGiB = 1ULL << 30;

json::object object_in(const ClientReply& reply) {
  json::error_code problem;
  const json::value value = json::parse(reply.body, problem);
  return value.is_object() ? value.get_object() : json::object{};
}

/// A shell whose grandchild holds this many bytes until it is destroyed.
class Holder {
 public:
  explicit Holder(std::uint64_t bytes) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    hold_ = ends[1];
    const std::string count = std::to_string(bytes);
    const std::string command =
        "{ head -c " + count + " /dev/zero; cat <&3; } | tail -c " + count + " > /dev/null; true";
    pid_ = fork();
    if (pid_ != 0) {
      close(ends[0]);
      return;
    }
    setpgid(0, 0);
    dup2(ends[0], 3);
    if (ends[1] != 3) close(ends[1]);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  ~Holder() {
    close(hold_);
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  int hold_ = -1;
};

/// A daemon whose brake sees 3 of 24 GiB in use, and ten older jobs of a user who lies.
class Liars : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make processes of other users";
    liar = std::make_unique<PeerProcess>(kLiar, kLiar);
    holder = std::make_unique<Holder>(150'000'000);
    daemon = std::make_unique<RunningDaemon>(
        std::string(kSmallWindow) + cost_model + "service: {group: " + std::to_string(kLiar) +
            "}\n",
        http::Limits{}, [this](TimePoint) {
          ++looks;
          return std::vector<MemoryLimit>{{"host", Bytes{24 * kGiB}, Bytes{3 * kGiB}}};
        });
    chmod(daemon->folder.path("").c_str(), 0711);
  }

  static std::string elder(int number) { return "elder" + std::to_string(number); }

  void start_elders(const std::string& more) const {
    for (int number = 0; number < kLiars; ++number) {
      const ClientReply reply = liar->ask(
          daemon->socket(), "POST", "/v1/jobs",
          R"({"id":")" + elder(number) +
              R"(","cost":1,"heartbeat":"300s","measured":true,"suspendable":true)" + more + "}");
      ASSERT_EQ(reply.status, 201) << reply.body;
    }
  }
  void lie(std::uint64_t bytes) const {
    const std::string usage = R"({"usage":{"memory":)" + std::to_string(bytes) + "}}";
    for (int number = 0; number < kLiars; ++number) {
      const std::string target = "/v1/jobs/" + elder(number) + "/heartbeat";
      ASSERT_EQ(liar->ask(daemon->socket(), "POST", target, usage).status, 200);
    }
  }
  json::object start_younger(const std::string& id, const std::string& more = "") const {
    return object_in(daemon->ask("POST", "/v1/jobs",
                                 R"({"id":")" + id + R"(","cost":1,"pid":)" +
                                     std::to_string(holder->pid()) +
                                     R"(,"measured":true,"suspendable":true)" + more + "}"));
  }
  json::object report(const std::string& id, std::uint64_t bytes) const {
    return object_in(daemon->ask("POST", "/v1/jobs/" + id + "/heartbeat",
                                 R"({"usage":{"memory":)" + std::to_string(bytes) + "}}"));
  }
  /// The younger job and the older ones report growth until the brake has polled 20 times.
  void expect_no_suspension() const {
    const int until = looks + 20;
    for (std::uint64_t step = 1; looks < until; ++step) {
      lie((16ULL << 40) + step * kGiB);
      const json::object younger = report("younger", 100'000'000 + step * 30'000'000);
      ASSERT_TRUE(younger.at("suspended").is_null()) << younger;
    }
  }

  std::string cost_model;  ///< A section of the configuration.
  std::atomic<int> looks = 0;
  std::unique_ptr<PeerProcess> liar;
  std::unique_ptr<Holder> holder;
  std::unique_ptr<RunningDaemon> daemon;
};

class LiarsWithHistory : public Liars {
 protected:
  void SetUp() override {
    cost_model = "cost: {model: history}\n";
    Liars::SetUp();
  }
};

TEST_F(Liars, WhatTenReportSuspendsNoJobOfRoot) {
  start_elders("");
  lie(16ULL << 40);
  ASSERT_EQ(start_younger("younger").at("state"), "running");
  expect_no_suspension();
}

TEST_F(Liars, WhatTenDeclareSuspendsNoJobOfRoot) {
  start_elders(R"(,"memory":"1GiB")");
  ASSERT_EQ(start_younger("younger").at("state"), "running");
  expect_no_suspension();
}

TEST_F(Liars, WhatTenReportRefusesNoMeasuredJobOfRoot) {
  start_elders("");
  lie(16ULL << 40);
  const json::object younger = start_younger("younger", R"(,"memory":"64MiB")");
  EXPECT_EQ(younger.at("state"), "running") << younger;
  const json::object memory = object_in(daemon->ask("GET", "/v1/status")).at("memory").as_object();
  const double promised = memory.at("promised").to_number<double>();
  EXPECT_LT(memory.at("kept").to_number<double>(), promised) << memory;
  EXPECT_LT(memory.at("margin").to_number<double>(), promised) << memory;
}

TEST_F(LiarsWithHistory, WhatTenReportRaisesNoExpectationOfTheirJobs) {
  const auto expected_of_another = [this](const std::string& id) {
    const json::object job =
        object_in(liar->ask(daemon->socket(), "POST", "/v1/jobs",
                            R"({"id":")" + id + R"(","measured":true,"heartbeat":"300s"})"));
    const json::object prediction = job.at("prediction").as_object();
    return prediction.at("memory").at("mean").to_number<double>();
  };
  start_elders("");
  const double before = expected_of_another("before");
  lie(16ULL << 40);
  EXPECT_EQ(expected_of_another("after"), before);
}

TEST_F(Liars, TheJobThatMemoryIsKeptForIsNamedWhereOneWaitsForIt) {
  const json::object memory = object_in(daemon->ask("GET", "/v1/status")).at("memory").as_object();
  const double promised = memory.at("promised").to_number<double>();
  const std::string most =
      R"(,"memory":)" + std::to_string(static_cast<std::uint64_t>(promised * 0.6));
  ASSERT_EQ(start_younger("holder", most).at("state"), "running");
  const json::object waiting = start_younger("waiting", most);
  ASSERT_EQ(waiting.at("state"), "pending") << waiting;
  const json::object& refusal = waiting.at("refusal").as_object();
  EXPECT_EQ(refusal.at("code"), "memory");
  EXPECT_EQ(refusal.at("ahead"), "holder");
  const std::string named = "; most is kept for job holder";
  EXPECT_TRUE(refusal.at("message").as_string().ends_with(named)) << refusal;
  const json::object status = object_in(daemon->ask("GET", "/v1/status"));
  EXPECT_NE(json::serialize(status.at("limiting")).find(named), std::string::npos) << status;
  const ClientReply explained = daemon->ask("GET", "/v1/jobs/waiting");
  EXPECT_NE(json::serialize(object_in(explained).at("explain")).find(named), std::string::npos)
      << explained.body;
}

TEST_F(Liars, AJobWithAProcessCountsWhatItsTreeHolds) {
  ASSERT_EQ(start_younger("younger").at("state"), "running");
  EXPECT_TRUE(eventually([this] {
    const json::object usage = report("younger", 16ULL << 40).at("usage").as_object();
    const double memory = usage.at("memory").to_number<double>();
    return usage.at("source") == "processes" && memory > 150'000'000 && memory < 300'000'000;
  }));
}

}  // namespace
}  // namespace sluice::testing
