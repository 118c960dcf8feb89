#include "cli/doctor.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace sluice::cli {
namespace {

std::vector<Finding> some_findings() {
  return {{Finding::State::good, "swap", "2.0 GiB", ""},
          {Finding::State::limited, "oom.group", "/ci: a kill takes all", "run it beside /ci"},
          {Finding::State::broken, "state", "jobs.db is a fifo", "move it away"}};
}

TEST(DoctorText, LinesUpAndSaysWhatToDo) {
  EXPECT_EQ(doctor_text(some_findings(), Style{}),
            "ok       swap       2.0 GiB\n"
            "limited  oom.group  /ci: a kill takes all\n"
            "                    -> run it beside /ci\n"
            "broken   state      jobs.db is a fifo\n"
            "                    -> move it away\n");
}

TEST(DoctorText, BreaksLinesBetweenWordsWhereTheTerminalEnds) {
  Style style;
  style.width = 42;
  EXPECT_EQ(doctor_text({some_findings()[1]}, style),
            "limited  oom.group  /ci: a kill takes all\n"
            "                    -> run it beside /ci\n");
  style.width = 40;
  EXPECT_EQ(doctor_text({some_findings()[1]}, style),
            "limited  oom.group  /ci: a kill takes\n"
            "                    all\n"
            "                    -> run it beside /ci\n");
}

TEST(DoctorText, IsHarmlessOnATerminal) {
  const std::string text =
      doctor_text({{Finding::State::good, "limits", "\x1b[31m/evil\n", ""}}, Style{});
  EXPECT_EQ(text, "ok       limits  ?[31m/evil?\n");
}

TEST(Doctor, SaysWhatTheDaemonThatServesCannotStore) {
  const auto unstored = [](const char* status) {
    std::string text;
    for (const Finding& each : unstored_by(boost::json::parse(status).as_object(), "/run/s", {})) {
      text += std::string(to_string(each.state)) + " " + each.check + ": " + each.found + "\n";
    }
    return text;
  };
  EXPECT_EQ(unstored(R"({"state":{"failing":null,"history":null},"record":null})"), "");
  EXPECT_EQ(unstored(R"({})"), "") << "an earlier daemon";
  EXPECT_EQ(unstored(R"({"state":{"failing":null,"history":{"path":"/s/history.db",
                         "failing":"disk full"}},"record":{"failing":"no rights"}})"),
            "broken history: the daemon at /run/s cannot store what it learns: disk full\n"
            "broken record: the daemon at /run/s cannot store its decisions: no rights\n");
}

TEST(Doctor, SaysOnceThatADatabaseIsOfANewerVersion) {
  const std::vector<NewerFile> newer{{NewerFile::Kind::history, "/s/history.db", 4, 3}};
  const auto unstored = [](const std::string& failing, const std::vector<NewerFile>& told) {
    const std::string status = R"({"state":{"path":"/s/jobs.db","failing":null,"history":)"
                               R"({"path":"/s/history.db","failing":")" +
                               failing + "\"}}}";
    return unstored_by(boost::json::parse(status).as_object(), "/run/s", told).size();
  };
  const std::string problem =
      "it was written by a newer version of sluice (schema 4, this one knows 3); use that version";
  EXPECT_EQ(unstored(problem, newer), 0U) << "the survey of the folder tells it";
  EXPECT_EQ(unstored(problem, {}), 1U) << "it looked at another folder, or may not read this one";
  EXPECT_EQ(unstored(problem, {{NewerFile::Kind::history, "/other/history.db", 4, 3}}), 1U);
  EXPECT_EQ(unstored("disk full", newer), 1U) << "that is something else";
}

TEST(DoctorJson, IsTheSame) {
  EXPECT_EQ(doctor_json(some_findings(), {"/sys/fs/cgroup/sluice.7"}),
            R"({"broken":true,"findings":[)"
            R"({"state":"ok","check":"swap","found":"2.0 GiB","advice":""},)"
            R"({"state":"limited","check":"oom.group","found":"/ci: a kill takes all",)"
            R"("advice":"run it beside /ci"},)"
            R"({"state":"broken","check":"state","found":"jobs.db is a fifo",)"
            R"("advice":"move it away"}],"removed":["/sys/fs/cgroup/sluice.7"]})"
            "\n");
}

}  // namespace
}  // namespace sluice::cli
