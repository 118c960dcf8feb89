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
    for (const Finding& each : unstored_by(boost::json::parse(status).as_object(), "/run/s")) {
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
