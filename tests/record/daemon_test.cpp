// The record of a real daemon, read while it runs, after kill -9 and after a restart.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <filesystem>

#include "record/codec.h"
#include "recorded_daemon.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

TEST_F(RecordedDaemon, AfterKill9ItSaysWhyAJobWaitedAndThatAnotherStillDoes) {
  submit("first", 20, R"(,"key":"build","memory":"1MiB")");
  submit("second", 12, R"(,"priority":3)");
  submit("third", 15);
  ASSERT_TRUE(eventually([&] { return has_wait_for("window"); }));
  finish("first");
  const auto has_started = [](const auto& each) { return each.job == JobId{2}; };
  ASSERT_TRUE(eventually([&] { return has_entry<record::JobStarted>(has_started); }));
  end(SIGKILL);

  const Answer why = call("why second");
  EXPECT_EQ(why.status, 0) << why.text;
  EXPECT_NE(why.text.find("job 2 (second) was submitted at "), std::string::npos) << why.text;
  EXPECT_NE(why.text.find("needs 12 points, 0 of 20 points are free; place 1"), std::string::npos)
      << why.text;
  EXPECT_NE(why.text.find("with 12 points; then 12 of 20 were in use"), std::string::npos)
      << why.text;
  EXPECT_NE(why.text.find("it still runs."), std::string::npos) << why.text;
  EXPECT_NE(call("why third").text.find("it still waits."), std::string::npos);
  const json::value first = json::parse(call("why first --json").text);
  EXPECT_EQ(first.at("finished").at("outcome").as_string(), "ok");
  EXPECT_EQ(first.at("key").as_string(), "build");
  EXPECT_EQ(first.at("started").at("rung").as_string(), "declared");

  const Answer list = call("record list");
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(list.text.find("SEGMENT"), std::string::npos) << list.text;
  EXPECT_EQ(json::parse(call("record list --json").text).at("segments").as_array().size(), 1U);
  EXPECT_NE(call("record tail -n 100").text.find("job third is submitted"), std::string::npos);
  EXPECT_EQ(call("record export").text.find(R"({"displayTimeUnit":"ms","traceEvents":[)"), 0U);
  const Answer moment = call("why --at 0s");
  EXPECT_NE(moment.text.find("running  1\n  second"), std::string::npos) << moment.text;
}

TEST_F(RecordedDaemon, KnowsWhyAJobWaitedThatStartedBeforeTheNextPoll) {
  submit("first", 20, R"(,"key":"build")");
  submit("second", 12);
  finish("first");
  const auto is_second = [](const auto& each) { return each.job == JobId{2}; };
  ASSERT_TRUE(eventually([&] { return has_entry<record::JobStarted>(is_second); }));
  const std::vector<record::Entry> all = entries();
  const auto wait = std::ranges::find_if(
      all, [](const auto& each) { return std::holds_alternative<record::JobWaits>(each); });
  const auto start = std::ranges::find_if(all, [&](const auto& each) {
    const auto* started = std::get_if<record::JobStarted>(&each);
    return started && is_second(*started);
  });
  ASSERT_LT(wait, start) << "recorded as it came";
  EXPECT_EQ(std::get<record::JobWaits>(*wait).job, JobId{2});
  EXPECT_NE(call("why second").text.find("needs 12 points, 0 of 20 points are free"),
            std::string::npos)
      << call("why second").text;
}

TEST_F(RecordedDaemon, SaysWhatAJobAskedForAndWhoChangedIt) {
  submit("first", 20);
  submit("second", 12);
  submit("third", 15,
         R"(,"global_lock":true,"on_failure":"run","nice":5,"reasons":["nightly","audit"])");
  const auto change = [&](const std::string& body) {
    return ask("PATCH", "/v1/jobs/third", body).status;
  };
  EXPECT_EQ(change(R"({"nice":7,"position":{"before":"nothing"}})"), 422) << "not on record";
  ASSERT_EQ(change(R"({"priority":9,"position":{"before":"second"},"global_lock":false})"), 200);
  ASSERT_TRUE(eventually([&] {
    return has_entry<record::JobChanged>([](const auto& each) { return each.priority == 9; });
  }));
  const std::string text = call("why third").text;
  EXPECT_NE(text.find(", with the global lock, nice 5, on_failure run, for nightly and audit.\n"),
            std::string::npos)
      << text;
  const std::string said =
      "  priority set to 9, moved before second, global lock removed by user " +
      std::to_string(geteuid()) + "\n";
  EXPECT_NE(text.find(said), std::string::npos) << text;
  EXPECT_EQ(text.find("nice set to 7"), std::string::npos) << text;
  const json::value third = json::parse(call("why third --json").text);
  EXPECT_EQ(third.at("changes").as_array().size(), 1U);
  EXPECT_EQ(third.at("on_failure").as_string(), "run");
}

TEST_F(RecordedDaemon, AReloadComesBeforeTheJobsOfItsNewQueues) {
  std::string queues = "queues: {default: {}";
  const std::vector<std::string> names{"one", "two", "three", "four"};
  // Faster than the daemon polls, so that the record cannot be right by chance.
  for (const std::string& name : names) {
    queues += ", " + name + ": {}";
    write_file(config_, kFixedWindow + ("state_dir: " + state_) + "\n" + queues + "}\n");
    ASSERT_EQ(ask("POST", "/v1/reload").status, 200) << log();
    submit("in-" + name, 1, R"(,"queue":")" + name + "\"");
  }
  ASSERT_TRUE(eventually([&] {
    return has_entry<record::JobSubmitted>(
        [](const auto& each) { return each.queue.text == "four"; });
  }));
  // "reloaded", the number of new queues in each configuration that differs from the last, and
  // the queue of each job.
  std::string order;
  std::ptrdiff_t known = 0;
  for (const record::Entry& each : entries()) {
    if (const auto* event = std::get_if<record::DaemonEvent>(&each)) {
      if (event->what == "reloaded") order += "reloaded ";
    } else if (const auto* configured = std::get_if<record::Configured>(&each)) {
      const auto has = [&](const std::string& name) {
        return configured->text.text.find(name + ": {}") != std::string::npos;
      };
      const auto count = std::ranges::count_if(names, has);
      // A poll in between tells it once more.
      if (count != known) order += std::to_string(count) + " ";
      known = count;
    } else if (const auto* job = std::get_if<record::JobSubmitted>(&each)) {
      order += job->queue.text + " ";
    }
  }
  EXPECT_EQ(order, "reloaded 1 one reloaded 2 two reloaded 3 three reloaded 4 four ");
}

TEST_F(RecordedDaemon, KnowsTheJobOfAnotherQueueThatPointsWereLeftFor) {
  submit("first", 15, R"(,"queue":"MARK-queue")");
  submit("second", 10);
  submit("third", 5, R"(,"queue":"MARK-queue")");
  const auto is_third = [](const auto& each) { return each.job == JobId{3}; };
  ASSERT_TRUE(eventually([&] { return has_entry<record::JobWaits>(is_third); }));
  const Answer why = call("why third");
  EXPECT_NE(why.text.find("behind job second, which comes first; place "), std::string::npos)
      << why.text;
  EXPECT_EQ(why.text.find("5 of 20 points are free"), std::string::npos) << why.text;
  EXPECT_NE(call("why second").text.find("needs 10 points, 5 of 20 points are free"),
            std::string::npos);
}

TEST_F(RecordedDaemon, GoesOnInANewSegmentAfterARestart) {
  submit("first", 20, R"(,"heartbeat":"1h")");
  const auto is_first = [](const auto& each) { return each.job == JobId{1}; };
  ASSERT_TRUE(eventually([&] { return has_entry<record::JobStarted>(is_first); }));
  end(SIGKILL);
  start();
  ASSERT_EQ(ask("POST", "/v1/pause").status, 200);
  finish("first");
  end(SIGTERM);
  EXPECT_EQ(json::parse(call("record list --json").text).at("segments").as_array().size(), 2U);
  const json::value why = json::parse(call("why 1 --json").text);
  EXPECT_EQ(why.at("finished").at("ended_by").as_string(), "finish");
  const std::string tail = call("record tail -n 100").text;
  for (const char* part : {"the daemon: started, ", "paused", "the daemon: stopping, SIGTERM"}) {
    EXPECT_NE(tail.find(part), std::string::npos) << tail;
  }
}

TEST_F(RecordedDaemon, ItsWorkCanBeTriedUnderAnotherConfiguration) {
  const std::string run =
      std::string(SLUICE_COMMAND) + " run --socket " + socket_ + " -- sleep 0.5";
  const Answer ran = answer_of(run + " & " + run + "; wait");
  ASSERT_EQ(ran.status, 0) << ran.text;
  end(SIGTERM);
  const std::string config = folder_.path("wide.yaml");
  write_file(config, "window: {law: rfc, initial: 100}\n");
  const Answer replay =
      answer_of(std::string(SLUICE_COMMAND) + " replay " + state_ + " --json --config " + config);
  ASSERT_EQ(replay.status, 0) << replay.text;
  const json::value answer = json::parse(replay.text);
  EXPECT_EQ(answer.at("jobs").as_int64(), 2);
  EXPECT_EQ(answer.at("unmeasured").as_int64(), 0);
  EXPECT_NEAR(answer.at("model").at("makespan_seconds").to_number<double>(),
              answer.at("recorded").at("makespan_seconds").to_number<double>(), 0.5);
  EXPECT_EQ(answer.at("variants").as_array().size(), 1U);
}

TEST_F(RecordedDaemon, AfterKill9TheNextOneRecordsWhichJobsItTookOver) {
  submit("first", 20);
  submit("second", 12);
  ASSERT_TRUE(eventually([&] { return has_wait_for("window"); }));
  end(SIGKILL);
  start();
  EXPECT_TRUE(eventually([&] {
    return has_entry<record::DaemonEvent>([](const auto& each) {
      return each.jobs == std::vector{JobId{1}, JobId{2}};
    });
  }));
  EXPECT_NE(call("why first").text.find("it still runs."), std::string::npos);
  EXPECT_NE(call("why second").text.find("it still waits."), std::string::npos);
}

TEST_F(RecordedDaemon, AJobThatTheNextDaemonDoesNotHaveIsNotSaidToRun) {
  submit("first", 20);
  const auto is_first = [](const auto& each) { return each.job == JobId{1}; };
  ASSERT_TRUE(eventually([&] { return has_entry<record::JobStarted>(is_first); }));
  end(SIGKILL);
  for (const char* name : {"/jobs.db", "/jobs.db-wal", "/jobs.db-shm"}) {
    std::filesystem::remove(state_ + name);
  }
  start();
  const auto is_lost = [&] {
    return call("why first")
               .text.find(
                   "Its end is not on record: it ran when the record broke "
                   "off at ") != std::string::npos;
  };
  EXPECT_TRUE(eventually(is_lost)) << call("why first").text;
}

TEST_F(RecordedDaemon, ThePeakIsThatOfTheLastReportNotOfASample) {
  submit("first", 1, R"(,"measured":true)");
  ASSERT_EQ(ask("POST", "/v1/jobs/first/heartbeat", R"({"usage":{"memory":1000}})").status, 200);
  const std::string usage = R"({"usage":{"wall":1,"cpu":0.5,"memory":0,"peak_memory":4000}})";
  ASSERT_EQ(ask("DELETE", "/v1/jobs/first", usage).status, 200);
  EXPECT_TRUE(eventually([&] {
    return has_entry<record::JobFinished>([](const auto& each) { return each.peak.value == 4000; });
  }));
}

TEST_F(RecordedDaemon, StatusSaysHowItGoes) {
  submit("first", 1);
  const auto record = [this] { return json::parse(ask("GET", "/v1/status").body).at("record"); };
  EXPECT_EQ(record().at("path").as_string(), state_ + "/record");
  ASSERT_TRUE(eventually([&] { return record().at("bytes").as_int64() > 0; }));
  EXPECT_TRUE(record().at("failing").is_null());
  EXPECT_EQ(record().at("lost").as_int64(), 0);
}

TEST_F(RecordedDaemon, ADaemonThatCannotRecordServesAndSaysSo) {
  end(SIGTERM);
  std::filesystem::remove_all(state_ + "/record");
  write_file(state_ + "/record", "in the way");
  start();
  submit("first", 1);
  const std::string problem = state_ + "/record: Not a directory";
  ASSERT_TRUE(eventually([&] {
    const json::value status = json::parse(ask("GET", "/v1/status").body);
    return status.at("record").at("failing") == json::value(problem);
  }));
  EXPECT_NE(log().find("record: " + problem + ": decisions are not recorded"), std::string::npos)
      << log();
  EXPECT_EQ(call("why first").status, 2);
}

TEST_F(RecordedDaemon, CanBeSwitchedOff) {
  end(SIGTERM);
  std::filesystem::remove_all(state_ + "/record");
  start("service: {record: {enabled: false}}\n");
  submit("first", 1);
  EXPECT_TRUE(json::parse(ask("GET", "/v1/status").body).at("record").is_null());
  end(SIGTERM);
  EXPECT_FALSE(std::filesystem::exists(state_ + "/record"));
}

TEST_F(RecordedDaemon, UnderHashedNamesNoNameOfARunIsThere) {
  end(SIGTERM);
  std::filesystem::remove_all(state_ + "/record");
  start("service: {record: {names: hashed}}\n");
  submit("MARK-id", 20,
         R"(,"key":"MARK-key","queue":"MARK-queue","params":{"MARK-name":"MARK-value"})");
  submit("MARK-other", 20, R"(,"reasons":["MARK-reason"],"locks":{"node":"shared:MARK-one"})");
  const std::string change = R"({"queue":"MARK-queue","locks":{"node":"exclusive:MARK-two"}})";
  ASSERT_EQ(ask("PATCH", "/v1/jobs/MARK-other", change).status, 200);
  ASSERT_TRUE(eventually([&] { return has_wait_for("window"); }));
  end(SIGKILL);
  start("service: {record: {names: hashed}}\n");
  ASSERT_TRUE(eventually([&] {
    return has_entry<record::JobRestated>([](const auto& each) {
      return each.submitted.id.text.starts_with("#") && !each.submitted.locks.empty();
    });
  }));
  ask("POST", "/v1/queues/MARK-queue/pause");
  finish("MARK-id");
  end(SIGTERM);
  EXPECT_FALSE(std::filesystem::exists(state_ + "/record/calls"));
  std::string all;
  for (const record::Entry& each : entries()) record::append_entry(all, {}, {}, each);
  ASSERT_GT(all.size(), 100U);
  EXPECT_EQ(all.find("MARK"), std::string::npos);
  EXPECT_TRUE(
      has_entry<record::JobSubmitted>([](const auto& each) { return each.reasons.size() == 1; }));
  EXPECT_TRUE(
      has_entry<record::JobChanged>([](const auto& each) { return each.queue && each.locks; }));
  EXPECT_EQ(call("record export").text.find("MARK"), std::string::npos);
  EXPECT_EQ(call("record tail -n 1000").text.find("MARK"), std::string::npos);
  struct stat facts {};
  ASSERT_EQ(stat((state_ + "/record.secret").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600U);
}

TEST_F(RecordedDaemon, RepeatsItsDecisionsExactlyAlsoAfterKill9) {
  const auto replay = [this] {
    return answer_of(std::string(SLUICE_COMMAND) + " replay " + state_ + " --json");
  };
  const auto has_started = [&](std::int64_t jobs) {
    const Answer answer = replay();
    if (answer.status != 0) return false;
    return json::parse(answer.text).at("started").as_int64() >= jobs;
  };
  submit("first", 20);
  submit("second", 12, R"(,"priority":3)");
  submit("third", 15);
  finish("first");
  // Those that waited; the first began at once.
  ASSERT_TRUE(eventually([&] { return has_started(1); })) << replay().text;
  end(SIGKILL);
  start();
  finish("second");
  ASSERT_TRUE(eventually([&] { return has_started(2); })) << replay().text;
  end(SIGTERM);
  const json::value replayed = json::parse(replay().text);
  EXPECT_TRUE(replayed.at("exact").as_bool());
  EXPECT_TRUE(replayed.at("differences").as_array().empty());
  ASSERT_EQ(replayed.at("missing").as_array().size(), 1U);
  EXPECT_EQ(replayed.at("missing").at(0).at("why").as_string(),
            "the daemon was killed, or could not record its end");
  const Answer text = answer_of(std::string(SLUICE_COMMAND) + " replay " + state_ + "/record");
  EXPECT_NE(text.text.find(" window changes: exact but for\n"), std::string::npos) << text.text;
}

TEST_F(RecordedDaemon, CallsThatCannotWorkSayWhy) {
  EXPECT_EQ(call("why").text, "sluice why: give a job, or --at TIME\n");
  EXPECT_EQ(call("why --at soon").status, 2);
  EXPECT_EQ(call("record export --from soon").status, 2);
  submit("first", 1);
  ASSERT_TRUE(eventually([&] { return !entries().empty(); }));
  const Answer unknown = call("why nothing");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(call("why --at 2001-01-01T00:00:00Z").status, 2) << "before the record";
  EXPECT_EQ(unknown.text, "sluice why: the record in " + state_ +
                              "/record has no job `nothing` (sluice record list shows its span)\n");
}

TEST_F(RecordedDaemon, AnOlderDaemonIsToldThatAMomentIsOutsideByTheStatusThatItExpects) {
  submit("first", 1);
  ASSERT_TRUE(eventually([&] { return !entries().empty(); }));
  const auto status = [](const std::string& words) {
    return answer_of(std::string(SLUICE_COMMAND) + " why --at @946684800 " + words).status;
  };
  const std::string its_words = "--json --lines 50 --state-dir " + state_;
  EXPECT_EQ(status(its_words), 1);
  EXPECT_EQ(status(its_words + " --names-of nobody"), 1);
  EXPECT_EQ(status(its_words + " --outside-status 3"), 3);
  EXPECT_EQ(status("--json --state-dir " + state_), 2);
  EXPECT_EQ(status("--lines 50 --state-dir " + state_), 2);
}

}  // namespace
}  // namespace sluice::testing
