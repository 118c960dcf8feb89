#include "service/gearman/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace sluice::gearman {
namespace {
using namespace std::string_literals;
using State = Session::State;
using enum PacketCommand;

constexpr std::size_t kPayload = 1024;
const std::string kBuild = "build", kTest = "test";

std::string bytes_of(PacketCommand command, std::vector<std::string> arguments = {}) {
  return encode({Packet::Magic::response, command, std::move(arguments), 0});
}

std::string job(const std::string& function = "build", const std::string& payload = "data") {
  return bytes_of(job_assign_uniq, {"H:1", function, "u1", payload});
}

/// "CAN_DO build; PRE_SLEEP"
std::string said(Session& session) {
  PacketReader reader(1 << 20);
  reader.put(session.take_output());
  std::string text;
  while (true) {
    const auto next = reader.next();
    const auto* packet = std::get_if<Packet>(&next);
    if (!packet) return text;
    text += (text.empty() ? "" : "; ") + std::string(to_string(packet->command));
    for (const std::string& argument : packet->arguments) text += " " + argument;
  }
}

struct Reporter {
  std::string operator()(const Session::Woken&) const { return "woken"; }
  std::string operator()(const Session::NoJob&) const { return "no job"; }
  std::string operator()(const Session::Settled&) const { return "settled"; }
  std::string operator()(const Session::Complaint& it) const { return "says " + it.text; }
  std::string operator()(const Session::Broken& it) const { return "broken: " + it.reason; }
  std::string operator()(const Session::Assigned& it) const {
    const auto& [handle, function, unique, payload, cut] = it.job;
    return "job " + handle + " " + function + " " + unique + " " + payload;
  }
};

/// "woken; no job"
std::string heard(Session& session, const std::string& bytes) {
  std::string text;
  for (const auto& event : session.receive(bytes)) {
    text += (text.empty() ? "" : "; ") + std::visit(Reporter{}, event);
  }
  return text;
}

Session listening() {
  Session session("me", kPayload);
  session.offer({kBuild});
  session.take_output();
  return session;
}

Session grabbing() {
  Session session = listening();
  session.receive(bytes_of(noop));
  session.grab();
  session.take_output();
  return session;
}

Session working() {
  Session session = grabbing();
  session.receive(job());
  return session;
}

TEST(GearmanSession, GoesFromSleepToAJobToItsEnd) {
  Session session("me", kPayload);
  session.offer({kBuild, kTest});
  EXPECT_EQ(said(session), "SET_CLIENT_ID me; CAN_DO build; CAN_DO test; PRE_SLEEP");
  EXPECT_EQ(heard(session, bytes_of(noop)), "woken");
  EXPECT_EQ(said(session), "");
  EXPECT_TRUE(session.grab());
  EXPECT_EQ(said(session), "GRAB_JOB_UNIQ");
  EXPECT_EQ(heard(session, job()), "job H:1 build u1 data");
  session.data("out");
  session.complete("");
  EXPECT_EQ(said(session), "WORK_DATA H:1 out; WORK_COMPLETE H:1 ; ECHO_REQ settled");
  EXPECT_EQ(heard(session, bytes_of(echo_res, {"settled"})), "settled");
  EXPECT_EQ(session.state(), State::over);
}

TEST(GearmanSession, SaysWhatAJobSaidBeforeItSaysThatItFails) {
  Session session = working();
  session.warning("exit status 3");
  session.fail();
  EXPECT_EQ(said(session), "WORK_WARNING H:1 exit status 3; WORK_FAIL H:1; ECHO_REQ settled");
}

TEST(GearmanSession, NeverGrabsUnasked) {
  Session session = listening();
  EXPECT_FALSE(session.grab());
  heard(session, bytes_of(noop));
  EXPECT_EQ(said(session), "");
  EXPECT_TRUE(session.grab());
  EXPECT_FALSE(session.grab());
  EXPECT_EQ(said(session), "GRAB_JOB_UNIQ");
}

TEST(GearmanSession, SleepsAgainWhereThereWasNoJob) {
  Session session = grabbing();
  EXPECT_EQ(heard(session, bytes_of(no_job)), "no job");
  EXPECT_EQ(said(session), "PRE_SLEEP");
  EXPECT_EQ(heard(session, bytes_of(noop)), "woken");
}

TEST(GearmanSession, TakesNoNoticeOfANoopThatTellsNothingNew) {
  Session session = grabbing();
  EXPECT_EQ(heard(session, bytes_of(noop) + bytes_of(noop) + job()), "job H:1 build u1 data");
  EXPECT_EQ(heard(session, bytes_of(noop)), "");
  EXPECT_EQ(session.state(), State::working);
}

TEST(GearmanSession, TakesFunctionsBackAtOnceWhereItOwesNothing) {
  Session session = listening();
  session.offer({});
  EXPECT_EQ(said(session), "CANT_DO build");
  EXPECT_EQ(session.state(), State::idle);
  session.offer({kBuild});
  EXPECT_EQ(said(session), "CAN_DO build; PRE_SLEEP");
}

TEST(GearmanSession, TakesFunctionsBackOnlyAfterAGrabWithoutAJob) {
  Session session = grabbing();
  session.offer({});
  EXPECT_EQ(said(session), "");
  EXPECT_EQ(heard(session, bytes_of(no_job)), "no job");
  EXPECT_EQ(said(session), "CANT_DO build");
}

TEST(GearmanSession, RunsAJobThatComesAfterItsFunctionWasToBeTakenBack) {
  Session session = grabbing();
  session.offer({});
  EXPECT_EQ(heard(session, job()), "job H:1 build u1 data");
  session.offer({});
  session.offer({kBuild});
  EXPECT_EQ(said(session), "");
  session.complete("");
  EXPECT_EQ(said(session), "WORK_COMPLETE H:1 ; ECHO_REQ settled");
}

TEST(GearmanSession, SaysOnlyWhatHasChanged) {
  Session session = listening();
  session.offer({kBuild});
  EXPECT_EQ(said(session), "");
  session.offer({kTest, kBuild});
  EXPECT_EQ(said(session), "CAN_DO test; PRE_SLEEP");
  session.offer({kTest});
  EXPECT_EQ(said(session), "CANT_DO build");
}

TEST(GearmanSession, SaysNothingOfAJobThatIsOver) {
  Session session = working();
  session.fail();
  session.take_output();
  session.complete("late");
  session.data("late");
  session.warning("late");
  session.fail();
  EXPECT_EQ(said(session), "");
}

TEST(GearmanSession, PassesOnWhatTheServerComplainsOf) {
  Session session = working();
  session.complete("");
  EXPECT_EQ(
      heard(session, bytes_of(error, {"JOB_NOT_FOUND", "gone"}) + bytes_of(echo_res, {"settled"})),
      "says JOB_NOT_FOUND: gone; settled");
}

struct Wrong {
  const char* name;
  Session (*session)();
  std::string bytes;
  const char* heard;
};

TEST(GearmanSession, IsOverWhereTheServerSaysWhatCannotBe) {
  const Wrong table[] = {
      {"job unasked", listening, job(), "broken: unexpected job: none was grabbed"},
      {"second job", working, job(), "broken: unexpected job: none was grabbed"},
      {"other function", grabbing, job("deploy"),
       "broken: job for a function that is not offered: deploy"},
      {"no job unasked", listening, bytes_of(no_job), "broken: unexpected NO_JOB"},
      {"echo unasked", working, bytes_of(echo_res, {"settled"}), "broken: unexpected ECHO_RES"},
      {"error for a job", grabbing, bytes_of(error, {"X", "y"}), "broken: the server says X: y"},
      {"a request", listening, encode({Packet::Magic::request, noop, {}, 0}),
       "broken: the server sent a request, NOOP"},
      {"an answer for clients", working, bytes_of(work_fail, {"H:1"}),
       "broken: WORK_FAIL is not sent to workers"},
      {"other bytes", listening, "HTTP/1.1 400\r\n\r\n",
       "broken: received data that is not a Gearman packet"}};
  for (const Wrong& wrong : table) {
    Session session = wrong.session();
    EXPECT_EQ(heard(session, wrong.bytes), wrong.heard) << wrong.name;
    EXPECT_EQ(session.state(), State::over) << wrong.name;
    session.offer({kTest});
    EXPECT_EQ(said(session), "") << wrong.name;
    EXPECT_EQ(heard(session, bytes_of(noop)), "") << wrong.name;
  }
}

TEST(GearmanSession, GrabsOnceMoreWhereItWasWokenAndOffersNothingAnyMore) {
  Session session = listening();
  EXPECT_EQ(heard(session, bytes_of(noop)), "woken");
  session.offer({});
  EXPECT_EQ(said(session), "CANT_DO build; GRAB_JOB_UNIQ");
  session.offer({kBuild});
  EXPECT_EQ(said(session), "");
  EXPECT_EQ(heard(session, bytes_of(no_job)), "no job");
  EXPECT_EQ(said(session), "CAN_DO build; PRE_SLEEP");
}

TEST(GearmanSession, GrabsOnceMoreWhereItIsWokenAndOffersNothingAnyMore) {
  Session session = listening();
  session.offer({});
  EXPECT_EQ(heard(session, bytes_of(noop)), "");
  EXPECT_EQ(said(session), "CANT_DO build; GRAB_JOB_UNIQ");
  EXPECT_EQ(heard(session, bytes_of(no_job)), "no job");
  EXPECT_EQ(session.state(), State::idle);
}

TEST(GearmanSession, SendsLargeOutputInParts) {
  Session session = working();
  session.data(std::string(600'000, 'x'));
  PacketReader reader(1 << 20);
  const std::string out = session.take_output();
  EXPECT_EQ(out.size(), 600'000U + 19 * (12 + std::string("H:1").size() + 1));
}

/// A server's view of a worker, modelled on gearmand.
class ModelServer {
 public:
  /// Reads the worker's packets; packets not allowed in its state fail the test.
  void hear(const std::string& bytes) {
    PacketReader reader(1 << 20);
    reader.put(bytes);
    while (true) {
      const auto next = reader.next();
      const auto* packet = std::get_if<Packet>(&next);
      if (!packet) return;
      take(*packet);
    }
  }
  bool owes_answer = false, has_job = false, asleep = false;
  bool woken = false;  ///< Woken without a grab since: it will not be woken again.
  std::multiset<std::string> functions;

 private:
  void take(const Packet& packet) {
    const bool changes = packet.command == can_do || packet.command == cant_do ||
                         packet.command == pre_sleep || packet.command == grab_job_uniq;
    EXPECT_FALSE(changes && (owes_answer || has_job)) << to_string(packet.command);
    if (packet.command == can_do) {
      functions.insert(packet.arguments[0]);
      EXPECT_EQ(functions.count(packet.arguments[0]), 1U);
    }
    if (packet.command == cant_do) {
      EXPECT_EQ(functions.erase(packet.arguments[0]), 1U);
    }
    if (packet.command == pre_sleep) {
      EXPECT_FALSE(woken);
      asleep = true;
    }
    if (packet.command == grab_job_uniq) {
      owes_answer = true;
      asleep = woken = false;
    }
  }
};

TEST(GearmanSession, KeepsItsThreeRulesWhateverItIsAskedFor) {
  std::mt19937_64 random(1180);
  for (int round = 0; round < 500; ++round) {
    Session session("me", kPayload);
    ModelServer server;
    for (int step = 0; step < 60 && session.state() != State::over; ++step) {
      switch (random() % 7) {
        case 0:
          session.offer({});
          break;
        case 1:
          session.offer({kBuild});
          break;
        case 2:
          session.offer({kBuild, kTest});
          break;
        case 3:
          session.grab();
          break;
        case 4:
          server.woken = server.asleep;
          session.receive(bytes_of(noop));
          break;
        case 5:
          if (std::exchange(server.owes_answer, false)) session.receive(bytes_of(no_job));
          break;
        default:
          if (random() % 8 != 0 || server.functions.empty()) break;
          if (!std::exchange(server.owes_answer, false)) break;
          server.has_job = true;
          session.receive(job());
      }
      server.hear(session.take_output());
      // Never stuck: a session that offers something sleeps, grabs, or works.
      const bool waits = session.state() == State::asleep;
      ASSERT_FALSE(waits && !server.asleep) << "round " << round << " step " << step;
      ASSERT_TRUE(session.state() != State::idle || server.functions.empty());
      ASSERT_TRUE(!server.functions.empty() || session.state() == State::idle ||
                  session.state() == State::grabbing);
    }
  }
}

}  // namespace
}  // namespace sluice::gearman
