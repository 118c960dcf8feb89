// GET /v1/record of a real daemon: a moment of its own record, and whose names each client reads.
#include <sys/stat.h>

#include <boost/json/parse.hpp>
#include <ctime>
#include <filesystem>

#include "peer_process.h"
#include "raw_socket.h"
#include "recorded_daemon.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

constexpr uid_t kAnn = 4001;
constexpr gid_t kCi = 4000;

/// A port that nobody listens on now.
int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  static_cast<void>(bind(probe, reinterpret_cast<sockaddr*>(&address), size));
  getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
  close(probe);
  return ntohs(address.sin_port);
}

class RecordRoute : public RecordedDaemon {
 protected:
  /// Asks again while another test of this machine leaves the reading process no time.
  static ClientReply patiently(const std::function<ClientReply()>& ask) {
    ClientReply reply;
    eventually([&] {
      reply = ask();
      return reply.body.find("record_slow") == std::string::npos &&
             reply.body.find("record_busy") == std::string::npos;
    });
    return reply;
  }
  ClientReply read(const std::string& target) const {
    return patiently([&] { return ask("GET", target); });
  }
  json::value answer(const std::string& target = "/v1/record") const {
    const ClientReply reply = read(target);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
  /// "404 not_in_record at"
  std::string verdict(const std::string& target) const {
    const ClientReply reply = read(target);
    const json::value error = json::parse(reply.body).at("error");
    const auto word = [&](const char* name) {
      return error.at(name).is_null() ? "-" : std::string(error.at(name).as_string());
    };
    return std::to_string(reply.status) + " " + word("code") + " " + word("field");
  }
  std::string message(const std::string& target) const {
    const json::value reply = json::parse(read(target).body);
    return std::string(reply.at("error").at("message").as_string());
  }
};

TEST_F(RecordRoute, AnswersAMomentWithWindowJobsAndReasons) {
  submit("first", 20, R"(,"key":"build")");
  submit("second", 12);
  ASSERT_TRUE(eventually([&] { return has_wait_for("window"); }));
  ASSERT_TRUE(eventually([&] { return answer().at("usage") == 20; })) << "at the next poll";
  const json::value now = answer();
  EXPECT_EQ(now.at("window"), 20);
  EXPECT_EQ(now.at("running").at(0).at("id"), "first");
  EXPECT_EQ(now.at("running").at(0).at("key"), "build");
  EXPECT_EQ(now.at("waiting").at(0).at("id"), "second");
  EXPECT_EQ(now.at("waiting").at(0).at("message"), "needs 12 points, 0 of 20 points are free");
  EXPECT_EQ(now.at("jobs").at("waiting"), 1);
  EXPECT_TRUE(now.at("record").at("problems").as_array().empty());
  const std::string before = std::to_string(std::time(nullptr));
  ASSERT_TRUE(eventually([&] { return std::to_string(std::time(nullptr)) != before; }));
  finish("first");
  const auto has_started = [](const auto& each) { return each.job == JobId{2}; };
  ASSERT_TRUE(eventually([&] { return has_entry<record::JobStarted>(has_started); }));
  EXPECT_EQ(answer().at("running").at(0).at("id"), "second");
  EXPECT_EQ(answer("/v1/record?at=" + before + ".9").at("running").at(0).at("id"), "first");
}

TEST_F(RecordRoute, ATimeThatIsNoneIsRefusedNamingTheField) {
  for (const char* at : {"soon", "-1", "nan", "1e30", "", "2026-03-01T12:00:00Z"}) {
    EXPECT_EQ(verdict("/v1/record?at=" + std::string(at)), "400 bad_value at") << at;
  }
  EXPECT_EQ(verdict("/v1/record?time=1"), "400 unknown_parameter time");
}

TEST_F(RecordRoute, AnOccurrenceOfTheTimeCanBeChosen) {
  ASSERT_TRUE(eventually([&] { return !entries().empty(); }));
  EXPECT_EQ(answer("/v1/record?occurrence=1").at("occurrence"), 1);
  EXPECT_EQ(verdict("/v1/record?occurrence=2"), "404 not_in_record occurrence");
  EXPECT_EQ(verdict("/v1/record?at=1&occurrence=2"), "404 not_in_record at");
  EXPECT_NE(message("/v1/record?occurrence=2").find(" occurred only once"), std::string::npos);
  for (const char* number : {"0", "1001", "first", "-1", ""}) {
    EXPECT_EQ(verdict("/v1/record?occurrence=" + std::string(number)), "400 bad_value occurrence");
  }
}

TEST_F(RecordRoute, ATimeOutsideTheRecordIsSaidToBe) {
  ASSERT_TRUE(eventually([&] { return !entries().empty(); }));
  EXPECT_EQ(verdict("/v1/record?at=1"), "404 not_in_record at");
  EXPECT_NE(message("/v1/record?at=1").find(" begins at "), std::string::npos);
  EXPECT_EQ(verdict("/v1/record?at=7999999999"), "404 not_in_record at");
  EXPECT_NE(message("/v1/record?at=7999999999").find(" ends at "), std::string::npos);
}

TEST_F(RecordRoute, WhatIsDamagedIsNamedAndTheRestIsRead) {
  submit("first", 20, R"(,"heartbeat":"1h")");
  ASSERT_TRUE(eventually([&] { return !entries().empty(); }));
  end(SIGTERM);
  std::ofstream(state_ + "/record/0000000001.srec", std::ios::app) << "SRB1 and then nonsense";
  start();
  submit("second", 20);
  ASSERT_TRUE(eventually([&] { return answer().at("jobs").at("waiting") == 1; }));
  const json::array problems = answer().at("record").at("problems").as_array();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0], "segment 1: its last 22 bytes are truncated or damaged");

  std::ofstream(state_ + "/record/0000000001.srec", std::ios::trunc) << "no record at all";
  EXPECT_EQ(answer().at("record").at("problems").at(0), "segment 1: not a Sluice record");
  std::filesystem::remove_all(state_ + "/record");
  EXPECT_EQ(verdict("/v1/record"), "503 record_unreadable -");
  EXPECT_EQ(ask("GET", "/v1/status").status, 200);
}

TEST_F(RecordRoute, WithoutARecordItSaysSo) {
  end(SIGTERM);
  start("service: {record: {enabled: false}}\n");
  EXPECT_EQ(verdict("/v1/record"), "404 no_record -");
}

TEST_F(RecordRoute, OtherUsersReadOtherJobsByNumberAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make processes of other users";
  const PeerProcess ann(kAnn, kCi);
  end(SIGTERM);
  chmod(folder_.path("").c_str(), 0711);
  const std::string port = std::to_string(free_port());
  listen_ = "127.0.0.1:" + port;
  start("service: {group: " + std::to_string(kCi) +
        "}\nresources: {MARK-licence: {kind: quantity, total: 1}}\n");
  const std::string licence = R"(,"resources":{"MARK-licence":1})";
  submit("MARK-1", 1, R"(,"key":"MARK-key","queue":"MARK-queue")" + licence);
  submit("MARK-2", 1, licence);
  const std::string own =
      R"({"id":"of-ann","key":"anns-key","cost":1,"resources":{"MARK-licence":1}})";
  ASSERT_EQ(ann.ask(socket_, "POST", "/v1/jobs", own).status, 201);
  const auto waits = [](const auto& each) { return each.job == JobId{3}; };
  ASSERT_TRUE(eventually([&] { return has_entry<record::JobWaits>(waits); }));

  const std::string all = read("/v1/record").body;
  for (const char* name :
       {"MARK-1", "MARK-2", "MARK-key", "MARK-queue", "MARK-licence", "of-ann"}) {
    EXPECT_NE(all.find(name), std::string::npos) << name << " is not in " << all;
  }

  const json::value of_ann =
      json::parse(patiently([&] { return ann.ask(socket_, "GET", "/v1/record"); }).body);
  EXPECT_EQ(of_ann.at("running").at(0).at("job"), 1);
  for (const char* name : {"id", "key", "queue"}) {
    EXPECT_EQ(of_ann.at("running").at(0).at(name), "") << name;
  }
  EXPECT_EQ(of_ann.at("waiting").at(0).at("id"), "");
  EXPECT_EQ(of_ann.at("waiting").at(0).at("message"), "needs 1 of (hidden), 0 of 1 free");
  EXPECT_EQ(of_ann.at("waiting").at(1).at("id"), "of-ann");
  EXPECT_EQ(of_ann.at("waiting").at(1).at("message"), "behind job 2, which comes first");

  const std::string heard = patiently([&] {
                              const RawSocket network(connect_tcp(listen_));
                              network.say(
                                  "GET /v1/record HTTP/1.1\r\nHost: localhost\r\nConnection: "
                                  "close\r\n\r\n");
                              return ClientReply{200, network.hear()};
                            }).body;
  EXPECT_NE(heard.find("200 OK"), std::string::npos) << heard;
  EXPECT_NE(heard.find(R"("waiting":2)"), std::string::npos) << heard;
  EXPECT_EQ(heard.find("MARK"), std::string::npos) << heard;
  EXPECT_EQ(heard.find("ann"), std::string::npos) << heard;
}

}  // namespace
}  // namespace sluice::testing
