// Leases that end with a process, tested against a daemon.
#include "process/child/process_watch.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/descriptors.h"
#include "fixture.h"
#include "service/daemon/descriptor_shares.h"

namespace sluice::testing {
namespace {

/// Runs a job of this process on a connection of its own. Returns its state after the wait.
std::string run_one(const RunningDaemon& daemon) {
  Client client = daemon.client();
  const auto answer = client.call("POST", "/v1/jobs?wait=5s",
                                  R"({"pid":"peer","hold":"connection","cost":10,"key":"k"})");
  const auto* reply = std::get_if<ClientReply>(&answer);
  // Closes a connection whose last reply has been read: its event may be in flight.
  const std::size_t number = reply ? reply->body.find("\"number\":") + 9 : 0;
  if (reply)
    client.call("DELETE", "/v1/jobs/" + std::to_string(std::stoul(reply->body.substr(number))));
  return reply ? reply->body : std::get<std::string>(answer);
}

TEST(ProcessWatch, ManyJobsOfOneProcessThatLivesAllRun) {
  const RunningDaemon daemon;
  std::atomic<int> others{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 16; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 60; ++round) {
        if (run_one(daemon).find(R"("state":"running")") == std::string::npos) ++others;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(others, 0);
}

/// Sets the soft limit on descriptors; the destructor restores the original.
class DescriptorLimit {
 public:
  DescriptorLimit() { getrlimit(RLIMIT_NOFILE, &before_); }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  void set(rlim_t soft) const {
    const rlimit limit{soft, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  rlim_t most() const { return before_.rlim_max; }

 private:
  rlimit before_{};
};

TEST(ProcessWatch, AsManyAsItMayAreWatchedAndThenTheLimitIsSaid) {
  const DescriptorLimit limit;
  boost::asio::io_context context;
  ProcessWatch watch(context, 3, [](JobId) {});
  limit.set(256);
  for (std::uint64_t job = 1; job <= 3; ++job) EXPECT_FALSE(watch.watch(JobId{job}, getpid()));
  for (const auto& problem : {watch.problem_of(getpid()), watch.watch(JobId{4}, getpid())}) {
    ASSERT_TRUE(problem);
    EXPECT_NE(problem->find("256 files (RLIMIT_NOFILE) and watches 3"), std::string::npos)
        << *problem;
    EXPECT_NE(problem->find("LimitNOFILE="), std::string::npos) << *problem;
  }
  watch.unwatch(JobId{1});
  EXPECT_FALSE(watch.problem_of(getpid()));
  EXPECT_FALSE(watch.watch(JobId{1000}, getpid())) << "one is over, there is room for one more";
}

TEST(Descriptors, TheLimitIsRaisedAsFarAsItMay) {
  const DescriptorLimit limit;
  limit.set(256);
  EXPECT_EQ(raise_descriptor_limit(), limit.most());
}

TEST(Descriptors, AHighLimitLeavesConnectionsAsTheyAre) {
  const DescriptorShares shares = share_descriptors(1'048'576, {});
  EXPECT_EQ(shares.http.connections, http::Limits{}.connections);
  EXPECT_EQ(shares.http.tcp_connections, http::Limits{}.tcp_connections);
  EXPECT_EQ(shares.jobservers, (1'048'576u - 64 - 512) / 16);
  EXPECT_EQ(shares.processes, 1'048'576u - 64 - 512 - 1024 - 256 - 2 * shares.jobservers);
  EXPECT_FALSE(shortage(1'048'576, shares, {}));
}

TEST(Descriptors, ALowLimitIsSharedSoThatNoKindTakesAll) {
  for (const std::uint64_t limit : {0u, 64u, 65u, 128u, 256u, 1024u, 2000u, 4096u}) {
    const DescriptorShares shares = share_descriptors(limit, {});
    const std::size_t connections = shares.http.connections + shares.http.tcp_connections;
    EXPECT_LE(connections + shares.processes + 2 * shares.jobservers + 64,
              std::max<std::uint64_t>(limit, 64))
        << limit;
    EXPECT_LE(shares.jobservers * 16, limit) << limit;
    EXPECT_LE(shares.http.kept * 4, shares.http.connections) << limit;
    EXPECT_GE(shares.processes, connections == 1280 ? 0 : connections) << limit;
  }
}

TEST(Descriptors, TooFewAreSaidWithWhatTheyAreFor) {
  EXPECT_EQ(
      shortage(1024, share_descriptors(1024, {}), {}),
      "this daemon may open 1024 files (RLIMIT_NOFILE): 314 connections on the socket, 78 over "
      "TCP, 392 watched processes and 56 jobservers at once; raise that limit (systemd: "
      "LimitNOFILE=) for more");
}

}  // namespace
}  // namespace sluice::testing
