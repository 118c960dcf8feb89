// Events of a daemon and the steps that follow, without a daemon.
#include "launch/asking.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace sluice {
namespace {

using std::chrono::seconds;

Asking ask() {
  Submission submission;
  submission.id = "launch-1";
  submission.key = "cc:a.c:1";
  return Asking(std::move(submission), "/s.sock");
}

const ClientReply kPending{201, R"({"number":7,"state":"pending","refusal":
    {"code":"window","binding":null,"message":"no room"}})"};
const ClientReply kRunning{201, R"({"number":7,"state":"running","permit":"7.x","cost":5,
    "permit_memory":1024,"nice":4,"environment":{"SLUICE_RM_PORTS_ITEMS":"p1"}})"};

ClientReply refusal(int status, const std::string& code) {
  return {status, R"({"error":{"code":")" + code + R"(","message":"because"}})"};
}

std::string request_of(const AskStep& step) {
  const auto* send = std::get_if<SendRequest>(&step);
  return send ? send->method + " " + send->target : "none";
}

std::string why_of(const AskStep& step) {
  const auto* ungoverned = std::get_if<RunUngoverned>(&step);
  return ungoverned ? ungoverned->why : "none";
}

TEST(Asking, RunsTheCommandOnThePermitThatItIsGiven) {
  Asking asking = ask();
  EXPECT_EQ(request_of(asking.begin()), "POST /v1/jobs");
  const AskStep step = asking.answered(kRunning);
  const auto* run = std::get_if<RunGoverned>(&step);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->job.nice, 4);
  const std::map<std::string, std::string> expected{{"SLUICE_PERMIT", "7.x"},
                                                    {"SLUICE_PERMIT_POINTS", "5"},
                                                    {"SLUICE_PERMIT_MEMORY", "1024"},
                                                    {"SLUICE_PERMIT_SOCKET", "/s.sock"},
                                                    {"SLUICE_RM_PORTS_ITEMS", "p1"}};
  EXPECT_EQ(run->job.environment, expected);
}

TEST(Asking, TakesNoVariableThatADaemonMayNotSet) {
  Asking asking = ask();
  asking.begin();
  const AskStep step = asking.answered({201, R"({"number":7,"state":"running","permit":"7.x",
      "cost":5,"environment":{"LD_PRELOAD":"/evil.so","SLUICE_RM_PORTS_ITEMS":"p1"}})"});
  const auto* run = std::get_if<RunGoverned>(&step);
  ASSERT_TRUE(run);
  EXPECT_FALSE(run->job.environment.contains("LD_PRELOAD"));
  EXPECT_TRUE(run->job.environment.contains("SLUICE_RM_PORTS_ITEMS"));
  EXPECT_EQ(run->job.ignored, std::vector<std::string>{"LD_PRELOAD"});
}

TEST(Asking, WaitsAsLongAsTheDaemonSaysThatTheJobDoes) {
  Asking asking = ask();
  asking.begin();
  EXPECT_EQ(request_of(asking.answered(kPending)), "GET /v1/jobs/7?wait=2s");
  for (int look = 0; look < 100; ++look) {
    const AskStep step = asking.answered(kPending);
    ASSERT_EQ(request_of(step), "GET /v1/jobs/7?wait=5s");
    ASSERT_GT(std::get<SendRequest>(step).patience, seconds(5))
        << "the answer is held back so long";
  }
  EXPECT_EQ(asking.last().reason, "no room");
  EXPECT_TRUE(std::holds_alternative<RunGoverned>(asking.answered(kRunning)));
}

TEST(Asking, RunsUngovernedWhateverTheDaemonRefuses) {
  for (const int status : {400, 401, 403, 404, 409, 422, 429, 500, 503}) {
    Asking asking = ask();
    asking.begin();
    EXPECT_EQ(why_of(asking.answered(refusal(status, "x"))), "the daemon refuses: because")
        << status;
  }
}

TEST(Asking, RunsUngovernedWhateverElseAnswers) {
  for (const char* body : {"", "[]", "{", "7", "<html>", "{}", R"({"number":"x"})",
                           R"({"error":7})", R"({"state":"running"})"}) {
    for (const int status : {200, 301, 404, 500}) {
      Asking asking = ask();
      asking.begin();
      EXPECT_EQ(why_of(asking.answered({status, body})), "the answer is not from a sluice daemon")
          << status << body;
    }
  }
}

TEST(Asking, TakesASilentDaemonForOneThatHangs) {
  Asking asking = ask();
  EXPECT_LE(std::get<SendRequest>(asking.begin()).patience, seconds(2));
  const AskStep step = asking.silent();
  EXPECT_TRUE(std::get<RunUngoverned>(step).is_silent);
}

TEST(Asking, LooksOnceForTheNextDaemonAfterALossAndAWhileAfterAnAnnouncedEnd) {
  Asking asking = ask();
  asking.begin();
  EXPECT_EQ(std::get<Reconnect>(asking.lost()).patience, seconds(0));
  EXPECT_EQ(why_of(asking.not_reconnected(Asking::Socket::removed)),
            "the daemon at /s.sock is gone");
  Asking another = ask();
  another.begin();
  EXPECT_EQ(std::get<Reconnect>(another.answered(refusal(503, "stopping"))).patience, seconds(5));
}

TEST(Asking, GivesTimeToTheNextDaemonWhereTheLastRemovedItsSocketWithoutAWordToThisJob) {
  Asking asking = ask();
  asking.begin();
  asking.answered(kPending);
  EXPECT_EQ(std::get<Reconnect>(asking.lost()).patience, seconds(0));
  const AskStep step = asking.not_reconnected(Asking::Socket::removed);
  EXPECT_EQ(std::get<Reconnect>(step).patience, seconds(5));
  EXPECT_EQ(why_of(asking.not_reconnected(Asking::Socket::removed)),
            "the daemon at /s.sock is gone");
}

TEST(Asking, GivesNoTimeWhereTheDaemonLeftItsSocketBehind) {
  Asking asking = ask();
  asking.begin();
  asking.answered(kPending);
  asking.lost();
  EXPECT_EQ(why_of(asking.not_reconnected(Asking::Socket::left_behind)),
            "the daemon at /s.sock is gone");
}

TEST(Asking, AsksTheNextDaemonForTheJobOfTheSameId) {
  Asking asking = ask();
  const AskStep first = asking.begin();
  asking.lost();
  const AskStep second = asking.reconnected();
  EXPECT_EQ(std::get<SendRequest>(second).body, std::get<SendRequest>(first).body);
  EXPECT_NE(std::get<SendRequest>(second).body.find(R"("id":"launch-1")"), std::string::npos);
}

TEST(Asking, EndsWithADaemonThatClosesEveryConnection) {
  Asking asking = ask();
  asking.begin();
  for (int loss = 0; loss < 3; ++loss) {
    ASSERT_TRUE(std::holds_alternative<Reconnect>(asking.lost()));
    asking.reconnected();
  }
  EXPECT_EQ(why_of(asking.lost()), "the daemon closes every connection");
}

TEST(Asking, SubmitsAgainOnceWhenItsJobIsUnknown) {
  Asking asking = ask();
  asking.begin();
  asking.answered(kPending);
  EXPECT_EQ(request_of(asking.answered(refusal(404, "no_such_job"))), "POST /v1/jobs");
  EXPECT_EQ(why_of(asking.answered(refusal(404, "no_such_job"))), "the daemon refuses: because");
}

TEST(Asking, HangsOnTheConnectionAloneWhereTheDaemonDoesNotSeeItsProcess) {
  Asking asking = ask();
  EXPECT_NE(std::get<SendRequest>(asking.begin()).body.find("peer"), std::string::npos);
  const AskStep step = asking.answered(refusal(400, "no_process"));
  EXPECT_EQ(request_of(step), "POST /v1/jobs");
  EXPECT_EQ(std::get<SendRequest>(step).body.find("peer"), std::string::npos);
  Asking hidden = asking;
  const AskStep runs = hidden.answered({201, R"({"number":7,"state":"running"})"});
  EXPECT_EQ(std::get<RunGoverned>(runs).lease, Submission::Lease::connection)
      << "it must measure itself";
  EXPECT_EQ(why_of(asking.answered(refusal(400, "no_process"))), "the daemon refuses: because");
}

TEST(Asking, DoesNotRunWhatSomebodyHasCancelled) {
  Asking asking = ask();
  asking.begin();
  asking.answered(kPending);
  const AskStep step = asking.answered(
      {200, R"({"number":7,"state":"finished","outcome":"cancelled","ended_by":"finish"})"});
  EXPECT_TRUE(std::holds_alternative<GiveUp>(step));
}

TEST(Asking, RunsWhatTheDaemonEndedByItsOwnEnd) {
  Asking asking = ask();
  asking.begin();
  const AskStep step = asking.answered(
      {200, R"({"number":7,"state":"finished","outcome":"cancelled","ended_by":"stop"})"});
  EXPECT_TRUE(std::holds_alternative<Reconnect>(step));
}

TEST(Asking, RunsAJobThatAnotherTakesThePlaceOf) {
  Asking asking = ask();
  asking.begin();
  const AskStep step =
      asking.answered({200, R"({"number":3,"state":"pending","deduplicated":true})"});
  EXPECT_EQ(why_of(step), "a job with its key already waits");
}

}  // namespace
}  // namespace sluice
