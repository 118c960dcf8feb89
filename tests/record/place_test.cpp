// Which record the commands read.
#include <gtest/gtest.h>
#include <signal.h>

#include "recorded_daemon.h"

namespace sluice::testing {
namespace {

TEST_F(RecordedDaemon, IsReadByCommandsThatKnowItsSocketAlone) {
  submit("first", 1, R"(,"key":"build")");
  ASSERT_TRUE(eventually([&] { return !entries().empty(); }));
  const auto asked = [&](const std::string& words) {
    return answer_of("HOME=" + folder_.path("home") + " STATE_DIRECTORY= XDG_STATE_HOME= " +
                     SLUICE_COMMAND + " " + words + " --socket " + socket_);
  };
  EXPECT_NE(asked("why first").text.find("job 1 (first) was submitted at "), std::string::npos)
      << asked("why first").text;
  EXPECT_EQ(asked("record list --json").status, 0);
  EXPECT_NE(asked("history --errors").text.find("the record in " + state_ + "/record has no "),
            std::string::npos);
  EXPECT_NE(asked("doctor").text.find("the daemon that serves uses " + state_ + "\n"),
            std::string::npos)
      << asked("doctor").text;
  const Answer named = asked("why first --state-dir " + folder_.path("other"));
  EXPECT_NE(named.text.find("no record: " + folder_.path("other")), std::string::npos)
      << named.text;
  end(SIGTERM);
  const Answer alone = asked("why first");
  EXPECT_NE(alone.status, 0);
  EXPECT_NE(alone.text.find(": reading the state folder of this user instead; --state-dir names "
                            "another\n"),
            std::string::npos)
      << alone.text;
  EXPECT_NE(alone.text.find("no record: " + folder_.path("home")), std::string::npos);
}

TEST_F(RecordedDaemon, IsReadByCommandsWhoseConfigurationNamesNoFolder) {
  submit("first", 1);
  ASSERT_TRUE(eventually([&] { return !entries().empty(); }));
  const auto why = [&](const std::string& configuration) {
    write_file(folder_.path("given.yaml"), configuration);
    return answer_of("HOME=" + folder_.path("home") +
                     " STATE_DIRECTORY= XDG_STATE_HOME= " + SLUICE_COMMAND +
                     " why first --config " + folder_.path("given.yaml") + " --socket " + socket_)
        .text;
  };
  EXPECT_NE(why(kFixedWindow).find("job 1 (first) was submitted at "), std::string::npos)
      << why(kFixedWindow);
  const std::string other = "state_dir: " + folder_.path("other") + "\n";
  EXPECT_NE(why(other).find("no record: " + folder_.path("other")), std::string::npos)
      << why(other);
}

TEST_F(RecordedDaemon, IsFoundByTheSocketInTheConfigurationBeforeThatOfTheEnvironment) {
  submit("first", 1);
  ASSERT_TRUE(eventually([&] { return !entries().empty(); }));
  const auto why = [&](const std::string& socket, const std::string& option) {
    write_file(folder_.path("given.yaml"), "service: {socket: " + socket + "}\n");
    return answer_of("HOME=" + folder_.path("home") + " STATE_DIRECTORY= XDG_STATE_HOME= " +
                     "SLUICE_SOCKET=" + folder_.path("none.sock") + " " + SLUICE_COMMAND +
                     " why first --config " + folder_.path("given.yaml") + option)
        .text;
  };
  EXPECT_NE(why(socket_, "").find("job 1 (first) was submitted at "), std::string::npos)
      << why(socket_, "");
  const std::string other = folder_.path("other.sock");
  EXPECT_NE(why(other, "").find(other), std::string::npos) << "says that no daemon is there";
  EXPECT_NE(why(other, " --socket " + socket_).find("job 1 (first) was submitted at "),
            std::string::npos)
      << "an option comes first";
}

}  // namespace
}  // namespace sluice::testing
