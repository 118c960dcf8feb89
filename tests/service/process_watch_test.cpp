// Leases that end with a process, against a daemon.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sluice::testing
