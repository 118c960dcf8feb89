#include "cli/doctor.h"

#include <gtest/gtest.h>

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
