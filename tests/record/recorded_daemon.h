#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client/client.h"
#include "command_runner.h"
#include "record/folder.h"
#include "record_folder.h"
#include "shell.h"

namespace sluice::testing {

/// Waits for a condition; false after half a minute.
inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

inline constexpr const char* kFixedWindow =
    "window: {law: rfc, initial: 20, minimum: 20, maximum: 20}\n"
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,\n"
    "          cgroup: off, disk: off, pids: off, starting: off}\n";

/// A real daemon with a fixed window of 20 points, which records.
class RecordedDaemon : public ::testing::Test {
 protected:
  void SetUp() override { start(); }

  void start(const std::string& options = "") {
    write_file(config_, kFixedWindow + ("state_dir: " + state_) + "\n" +
                            "queues: {default: {}, MARK-queue: {}}\n" + options);
    daemon_ = std::make_unique<CommandRunner>(
        std::vector<std::string>{SLUICE_COMMAND, "serve", "--config", config_, "--socket", socket_,
                                 "--listen", listen_},
        folder_.path(""));
    ASSERT_TRUE(eventually([&] { return ask("GET", "/v1/status").status == 200; })) << log();
  }
  void end(int signal) {
    kill(daemon_->pid(), signal);
    daemon_->wait();
  }
  std::string log() const { return daemon_->err(); }

  ClientReply ask(const std::string& method, const std::string& target,
                  const std::string& body = {}) const {
    auto client = Client::connect(socket_);
    if (auto* problem = std::get_if<std::string>(&client)) return {0, *problem};
    auto reply = std::get<Client>(client).call(method, target, body);
    if (auto* problem = std::get_if<std::string>(&reply)) return {0, *problem};
    return std::get<ClientReply>(reply);
  }
  void submit(const std::string& id, int cost, const std::string& more = "") const {
    const ClientReply reply = ask(
        "POST", "/v1/jobs", R"({"id":")" + id + R"(","cost":)" + std::to_string(cost) + more + "}");
    EXPECT_EQ(reply.status, 201) << reply.body;
  }
  void finish(const std::string& id) const {
    const ClientReply reply = ask("DELETE", "/v1/jobs/" + id + "?outcome=ok");
    EXPECT_EQ(reply.status, 200) << reply.body;
  }

  /// What is on disk by now.
  std::vector<record::Entry> entries() const {
    std::vector<record::Entry> all;
    const auto folder = record::RecordFolder::open_to_read(state_ + "/record");
    if (folder.index() != 0) return all;
    for (const auto& each :
         record::read_record(std::get<record::RecordFolder>(folder),
                             [&](const record::Dated& dated) { all.push_back(dated.entry); })) {
      EXPECT_TRUE(each.summary.problems.empty()) << each.summary.problems.front();
    }
    return all;
  }
  template <typename T>
  bool has_entry(const std::function<bool(const T&)>& matches) const {
    return std::ranges::any_of(entries(), [&](const record::Entry& each) {
      const T* entry = std::get_if<T>(&each);
      return entry && matches(*entry);
    });
  }
  bool has_wait_for(const std::string& code) const {
    return has_entry<record::JobWaits>([&](const auto& each) { return each.code == code; });
  }
  /// `sluice WORDS` on this record.
  Answer call(const std::string& words) const {
    return answer_of(std::string(SLUICE_COMMAND) + " " + words + " --state-dir " + state_);
  }

  record::testing::Folder folder_;
  const std::string config_ = folder_.path("sluice.yaml");
  const std::string socket_ = folder_.path("sluice.sock");
  const std::string state_ = folder_.path("state");
  std::string listen_ = "off";
  std::unique_ptr<CommandRunner> daemon_;
};

}  // namespace sluice::testing
