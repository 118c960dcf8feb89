// What every subcommand owes its user.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace {

struct Answer {
  int status;
  std::string text;
};

Answer call(const std::string& arguments) {
  const std::string command = std::string(SLUICE_COMMAND) + " " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  return {WEXITSTATUS(pclose(pipe)), text};
}

TEST(Command, EverySubcommandHasHelpWithExamples) {
  for (const char* name :
       {"demo", "batch", "serve", "run", "status", "explain", "set", "replay", "config", "history",
        "history forget", "pause", "resume", "drain", "reload"}) {
    const Answer help = call(std::string(name) + " --help");
    EXPECT_EQ(help.status, 0) << name;
    EXPECT_NE(help.text.find("Examples:"), std::string::npos) << name << ":\n" << help.text;
  }
}

TEST(Command, AWrongCallIsSaidInOneLineWithStatusTwo) {
  EXPECT_EQ(call("").status, 2);
  const Answer wrong = call("demmo");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.text,
            "sluice: unknown command `demmo`; did you mean `demo`? (sluice --help lists them)\n");
  EXPECT_EQ(call("demo --jobs 0").status, 2);
}

TEST(Command, SaysItsVersion) {
  const Answer version = call("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.text.starts_with("sluice 0.")) << version.text;
}

TEST(Command, ConfigCheckPrintsEveryErrorWithItsPlace) {
  const Answer bad = call("config check " SLUICE_SOURCE "/tests/cli/bad.yaml");
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.text.find("bad.yaml:2:3: "), std::string::npos) << bad.text;
  EXPECT_NE(bad.text.find("bad.yaml:3:"), std::string::npos) << bad.text;
  EXPECT_NE(bad.text.find("did you mean `initial`?"), std::string::npos) << bad.text;
}

TEST(Command, ConfigShowSaysWhereEachValueComesFrom) {
  const Answer shown = call("config show " SLUICE_SOURCE "/examples/sluice.yaml");
  EXPECT_EQ(shown.status, 0) << shown.text;
  EXPECT_NE(shown.text.find("sluice.yaml:"), std::string::npos) << shown.text;
  EXPECT_NE(shown.text.find("default"), std::string::npos) << shown.text;
  EXPECT_EQ(call("config show --json").text.front(), '[');
}

}  // namespace
