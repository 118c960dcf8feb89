#include "service/gearman/link.h"

#include <gtest/gtest.h>

#include "gearman_peer.h"

namespace sluice::gearman {
namespace {
using namespace std::chrono_literals;
using namespace sluice::testing;
using enum PacketCommand;
using Heard = std::vector<std::string>;

class GearmanLinkTest : public ::testing::Test {
 protected:
  std::unique_ptr<Link> link_to(const std::string& port, Duration patience = 10s) {
    Link::Handlers handlers;
    handlers.woken = [this] { ++woken_; };
    handlers.in_vain = [this] { ++in_vain_; };
    handlers.assigned = [this](Job job, std::shared_ptr<Connection> connection) {
      jobs_.emplace_back(std::move(job), std::move(connection));
    };
    handlers.log = [this](LogLevel, std::string_view line) { log_ += std::string(line) + "\n"; };
    return std::make_unique<Link>(context_, Address{"127.0.0.1", port, "me", 1024, patience}, 1,
                                  std::move(handlers));
  }
  /// A link that has received a job on its first connection and has a second connection.
  std::unique_ptr<Link> busy_link() {
    auto link = link_to(stage_.port());
    link->offer({"build"});
    link->start();
    EXPECT_TRUE(until([&] { return peer_heard(0, "PRE_SLEEP"); }));
    stage_.peers[0]->say(noop);
    EXPECT_TRUE(until([&] { return woken_ == 1; }));
    EXPECT_TRUE(link->grab());
    EXPECT_TRUE(until([&] { return peer_heard(0, "GRAB_JOB_UNIQ"); }));
    stage_.peers[0]->say(job_assign_uniq, {"H:1", "build", "u1", "payload"});
    EXPECT_TRUE(until([&] { return jobs_.size() == 1 && peer_heard(1, "PRE_SLEEP"); }));
    return link;
  }
  bool until(const std::function<bool()>& condition) { return run_until(context_, condition); }
  bool peer_heard(std::size_t peer, const std::string& last) const {
    return stage_.peers.size() > peer && stage_.peers[peer]->heard_last(last);
  }

  boost::asio::io_context context_;
  GearmanStage stage_{context_};
  int woken_ = 0, in_vain_ = 0;
  std::vector<std::pair<Job, std::shared_ptr<Connection>>> jobs_;
  std::string log_;
};

TEST_F(GearmanLinkTest, OffersWhatItIsToldAndAsksOnlyWhenItIsTold) {
  const auto link = link_to(stage_.port());
  link->start();
  ASSERT_TRUE(until([&] { return peer_heard(0, "SET_CLIENT_ID me"); }));
  EXPECT_FALSE(link->grab());
  link->offer({"build"});
  ASSERT_TRUE(until([&] { return peer_heard(0, "PRE_SLEEP"); }));
  stage_.peers[0]->say(noop);
  ASSERT_TRUE(until([&] { return woken_ == 1; }));
  link->offer({});
  // It offers nothing, but was woken and would not be woken again.
  ASSERT_TRUE(until([&] { return peer_heard(0, "GRAB_JOB_UNIQ"); }));
  EXPECT_FALSE(link->grab());
  EXPECT_EQ(stage_.peers[0]->heard, (Heard{"SET_CLIENT_ID me", "CAN_DO build", "PRE_SLEEP",
                                           "CANT_DO build", "GRAB_JOB_UNIQ"}));
  EXPECT_NE(log_.find(": connected"), log_.npos) << log_;
}

TEST_F(GearmanLinkTest, GivesEachJobItsConnectionAndListensOnAnother) {
  const auto link = busy_link();
  auto& [job, connection] = jobs_[0];
  EXPECT_EQ(job.payload, "payload");
  EXPECT_EQ(stage_.peers[1]->heard, (Heard{"SET_CLIENT_ID me", "CAN_DO build", "PRE_SLEEP"}));
  // Withdrawn on the idle connection, and only there.
  link->offer({});
  ASSERT_TRUE(until([&] { return peer_heard(1, "CANT_DO build"); }));
  bool settled = false;
  connection->handle_by({nullptr,
                         [&](const Session::Event& event) {
                           settled = std::holds_alternative<Session::Settled>(event);
                         },
                         nullptr});
  connection->tell([](Session& session) { session.complete("done"); });
  ASSERT_TRUE(until([&] { return peer_heard(0, "ECHO_REQ settled"); }));
  stage_.peers[0]->say(echo_res, {"settled"});
  ASSERT_TRUE(until([&] { return settled && stage_.peers[0]->hung_up; }));
  EXPECT_EQ(stage_.peers[0]->heard,
            (Heard{"SET_CLIENT_ID me", "CAN_DO build", "PRE_SLEEP", "GRAB_JOB_UNIQ",
                   "WORK_COMPLETE H:1 done", "ECHO_REQ settled"}));
}

TEST_F(GearmanLinkTest, TellsThatASlotIsNotNeeded) {
  const auto link = link_to(stage_.port());
  link->offer({"build"});
  link->start();
  ASSERT_TRUE(until([&] { return peer_heard(0, "PRE_SLEEP"); }));
  stage_.peers[0]->say(noop);
  ASSERT_TRUE(until([&] { return woken_ == 1 && link->grab(); }));
  stage_.peers[0]->say(no_job);
  ASSERT_TRUE(until([&] { return in_vain_ == 1; }));
  stage_.peers[0]->say(noop);
  ASSERT_TRUE(until([&] { return woken_ == 2 && link->grab(); }));
  stage_.peers[0]->hang_up();
  EXPECT_TRUE(until([&] { return in_vain_ == 2; }));
}

TEST_F(GearmanLinkTest, ComesBackAndOffersTheSameAgain) {
  const auto link = link_to(stage_.port());
  link->offer({"build"});
  link->start();
  for (std::size_t time = 0; time < 3; ++time) {
    ASSERT_TRUE(until([&] { return peer_heard(time, "PRE_SLEEP"); })) << time << log_;
    stage_.peers[time]->hang_up();
  }
  EXPECT_NE(log_.find("the server closed the connection; next try in 0."), log_.npos) << log_;
}

TEST_F(GearmanLinkTest, TriesLessAndLessOftenWhereNobodyIs) {
  boost::asio::ip::tcp::acceptor nobody(context_, {boost::asio::ip::make_address("127.0.0.1"), 0});
  const std::string port = std::to_string(nobody.local_endpoint().port());
  nobody.close();
  const auto link = link_to(port);
  const auto began = Clock::now();
  link->start();
  ASSERT_TRUE(until([&] { return in_vain_ == 4; }));
  // At least half each of 100 ms, 200 ms and 400 ms.
  EXPECT_GE(Clock::now() - began, 350ms);
  EXPECT_NE(log_.find("Connection refused; next try in"), log_.npos) << log_;
}

TEST_F(GearmanLinkTest, GivesUpAServerThatDoesNotAnswer) {
  const auto link = link_to(stage_.port(), 300ms);
  link->offer({"build"});
  link->start();
  ASSERT_TRUE(until([&] { return peer_heard(0, "PRE_SLEEP"); }));
  stage_.peers[0]->say(noop);
  ASSERT_TRUE(until([&] { return woken_ == 1 && link->grab(); }));
  ASSERT_TRUE(until([&] { return in_vain_ == 1; }));
  EXPECT_NE(log_.find("the server does not answer"), log_.npos) << log_;
}

TEST_F(GearmanLinkTest, GivesUpAServerThatTalksSomethingElse) {
  const auto link = link_to(stage_.port());
  link->start();
  ASSERT_TRUE(until([&] { return peer_heard(0, "SET_CLIENT_ID me"); }));
  stage_.peers[0]->say_bytes("HTTP/1.1 400 Bad Request\r\n\r\n");
  ASSERT_TRUE(until([&] { return stage_.peers[0]->hung_up; }));
  EXPECT_NE(log_.find("not a Gearman packet"), log_.npos) << log_;
}

TEST_F(GearmanLinkTest, LeavesRunningJobsAloneWhenItStops) {
  const auto link = busy_link();
  link->stop();
  ASSERT_TRUE(until([&] { return stage_.peers[1]->hung_up; }));
  jobs_[0].second->tell([](Session& session) { session.fail(); });
  ASSERT_TRUE(until([&] { return peer_heard(0, "ECHO_REQ settled"); }));
  EXPECT_EQ(stage_.peers.size(), 2U);
}

TEST_F(GearmanLinkTest, SendsMoreThanASocketTakesAtOnce) {
  const auto link = busy_link();
  const auto& connection = jobs_[0].second;
  bool sent = false;
  connection->handle_by({nullptr, nullptr, nullptr, [&] { sent = true; }});
  const std::string output(16 << 20, 'x');
  connection->tell([&](Session& session) { session.data(output); });
  EXPECT_GT(connection->backlog(), output.size() / 2);
  ASSERT_TRUE(until([&] { return sent; }));
  std::size_t received = 0;
  ASSERT_TRUE(until([&] {
    received = 0;
    for (const std::string& line : stage_.peers[0]->heard) {
      constexpr std::string_view kFront = "WORK_DATA H:1 ";
      if (line.starts_with(kFront)) received += line.size() - kFront.size();
    }
    return received == output.size();
  }));
}

}  // namespace
}  // namespace sluice::gearman
