// Leases that end with a process, against a daemon.
#include "service/process_watch.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "fixture.h"

namespace sluice::testing {
namespace {

/// A job of this process on a connection of its own; what it was when its wait was over.
std::string run_one(const RunningDaemon& daemon) {
  Client client = daemon.client();
  const auto answer = client.call("POST", "/v1/jobs?wait=5s",
                                  R"({"pid":"peer","hold":"connection","cost":10,"key":"k"})");
  const auto* reply = std::get_if<ClientReply>(&answer);
  // A connection whose last answer is read and which then closes: its event may be on the way.
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

/// The limit on descriptors, put back at the end.
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

TEST(ProcessWatch, TooLowALimitOnDescriptorsIsSaidWhileConnectionsStillGetSome) {
  const DescriptorLimit limit;
  boost::asio::io_context context;
  ProcessWatch watch(context, [](JobId) {});
  limit.set(256);
  std::optional<std::string> problem;
  std::uint64_t jobs = 0;
  while (!problem && jobs < 256) problem = watch.watch(JobId{++jobs}, getpid());
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("256 files (RLIMIT_NOFILE)"), std::string::npos) << *problem;
  EXPECT_NE(problem->find("LimitNOFILE="), std::string::npos) << *problem;
  const int free = dup(0);
  EXPECT_LT(free, 256 - 60);
  close(free);
  watch.unwatch(JobId{1});
  EXPECT_FALSE(watch.watch(JobId{1000}, getpid())) << "one is over, there is room for one more";
}

TEST(ProcessWatch, TheLimitIsRaisedAsFarAsItMay) {
  const DescriptorLimit limit;
  limit.set(256);
  EXPECT_EQ(raise_descriptor_limit(), limit.most());
}

}  // namespace
}  // namespace sluice::testing
