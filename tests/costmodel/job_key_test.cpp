#include "costmodel/job_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace sluice {
namespace {

using Command = std::vector<std::string>;

const KeyPlace kHere{"/home/ci/ws/41/project/build", {"/tmp", "/var/tmp"}};
const KeyPlace kThere{"/home/ci/ws/42/project/build", {"/tmp"}};

std::string key(const Command& command, const KeyPlace& place = kHere) {
  return job_key(command, place);
}

TEST(ProgramOf, IsWhatIsReallyRun) {
  const std::vector<std::pair<Command, std::string>> rows{
      {{"/usr/bin/g++-12", "-c", "a.cpp"}, "g++-12"},
      {{"nice", "-n", "5", "ccache", "g++", "a.cpp"}, "g++"},
      {{"env", "-u", "X", "LANG=C", "cargo", "build"}, "cargo"},
      {{"timeout", "-k", "5", "60", "make", "test"}, "make"},
      {{"CC=gcc", "make"}, "make"},
      {{"sh", "-c", "cd build && mkdir -p x; LANG=C exec g++ -c a.cpp"}, "g++"},
      {{"bash", "-ec", "if [ -f x ]; then ninja all; fi"}, "ninja"},
      {{"sh", "-c", "# nothing\nset -e\npytest tests"}, "pytest"},
      {{"sh", "-c", "sh -c 'clang -c a.c'"}, "clang"},
      {{"sh", "-c", "echo done"}, "echo"},
      {{"sh", "-c", "echo a; echo b"}, "echo"},
      {{"python3", "-u", "train.py", "--epochs", "3"}, "train.py"},
      {{"python3.11", "-m", "pytest"}, "pytest"},
      {{"python3", "-c", "print(1)"}, "python3"},
      {{"bash", "scripts/build.sh"}, "build.sh"},
      {{"./t\tool\xff\x1b"}, "t?ool??"},
      {{"sh"}, "sh"},
      {{"nice"}, "nice"},
      {{"sh", "-c", ""}, "sh"},
      {{}, ""},
  };
  for (const auto& [command, program] : rows) {
    EXPECT_EQ(program_of(command), program) << testing::PrintToString(command);
  }
}

TEST(JobKey, IsRecognisedByPeople) {
  const std::vector<std::pair<Command, std::string>> rows{
      {{"g++", "-O2", "-c", "src/t12_heavy.cpp", "-o", "t12.o"}, "g++:t#_heavy.cpp:"},
      {{"g++", "a.o", "b.o", "-o", "bin/app"}, "g++:app:"},
      {{"cargo", "build", "--release"}, "cargo:build:"},
      {{"python3", "train.py", "--epochs", "3"}, "train.py:"},
      {{"git", "clone", "https://x/y z.git"}, "git:clone:"},
      {{"/bin/true"}, "true:"},
      {{"p", "a b;c"}, "p:a_b_c:"},
  };
  for (const auto& [command, start] : rows) {
    const std::string made = key(command);
    EXPECT_EQ(made.substr(0, start.size()), start);
    EXPECT_EQ(made.size(), start.size() + 8) << made;
  }
  EXPECT_EQ(key({}), "");
}

TEST(JobVariant, IsTheNumbersThatTheKeyLeavesOut) {
  const std::vector<std::pair<Command, std::string>> rows{
      {{"eat", "400"}, "400"},
      {{"sh", "-c", "eat 400"}, "400"},
      {{"tool", "--size=12G", "--jobs", "4", "a7b8"}, "12,4,7,8"},
      {{"g++", "-O2", "-std=c++20", "-c", "t12.cpp", "-o", "t99.o"}, "12"},
      {{"tool", "deadbeef01", "/tmp/tmp.aB3dE9xyz"}, ""},
      {{"eat", "104857600"}, "104857600"},
      {{"make", "all"}, ""},
      {{}, ""},
  };
  for (const auto& [command, variant] : rows) {
    EXPECT_EQ(job_variant(command, kHere), variant) << testing::PrintToString(command);
  }
  const Command many{"tool", "1234567", "1234567", "1234567", "1234567"};
  EXPECT_EQ(job_variant(many, kHere).size(), 8U) << "a digest";
  EXPECT_NE(job_variant(many, kHere),
            job_variant(Command{"tool", "1234567", "1234567", "1234567", "1234568"}, kHere));
}

TEST(JobKey, IsTheSameForTheSameJob) {
  const std::vector<std::pair<Command, Command>> rows{
      {{"g++", "-c", "t1.cpp"}, {"g++", "-c", "t27.cpp"}},
      {{"cat", "/tmp/tmp.aB3dE9xyz"}, {"cat", "/tmp/tmp.Zk27vvQw1s"}},
      {{"g++", "-c", "a.cpp", "-o", "a.o"}, {"g++", "-c", "a.cpp", "-o", "other/b.o"}},
      {{"g++", "-c", "a.cpp", "-MF", "x.d"}, {"g++", "-c", "a.cpp", "-MF", "y.d"}},
      {{"tool", "--output=a", "x"}, {"tool", "--output=b", "x"}},
      {{"tool", "--output", "a", "x"}, {"tool", "--output", "b", "x"}},
      {{"g++", "-c", "a.cpp"}, {"sh", "-c", "g++ -c a.cpp"}},
      {{"g++", "-c", "a.cpp"}, {"sh", "-c", "exec g++ -c 'a.cpp' > log 2>&1"}},
      {{"g++", "-c", "a.cpp"}, {"nice", "ccache", "/usr/bin/g++", "-c", "a.cpp"}},
      {{"g++", "-c", "/home/ci/ws/41/project/build/a.cpp"}, {"g++", "-c", "a.cpp"}},
      {{"g++", "-I/home/ci/ws/41/project/include", "a.cpp"}, {"g++", "-I../include", "a.cpp"}},
      {{"t", "--dir=/tmp/tmp.aB3dE9xY/x"}, {"t", "--dir=/tmp/tmp.Zz91kKqq/x"}},
      {{"as", "/tmp/ccAbC12x.s"}, {"as", "/tmp/ccQq91Zz.s"}},
      {{"deploy", "--sha", "3f2a91c07be"}, {"deploy", "--sha", "00ffe1aa12b"}},
      {{"sh", "-c", "cd a && make x >log1"}, {"sh", "-c", "cd a && make x >log2"}},
      {{"test", "--seed=17"}, {"test", "--seed=90210"}},
  };
  for (const auto& [one, other] : rows) {
    EXPECT_EQ(key(one), key(other)) << testing::PrintToString(one);
  }
}

TEST(JobKey, IsTheSameInTwoWorkspaces) {
  EXPECT_EQ(
      key({"g++", "-I/home/ci/ws/41/project/include", "/home/ci/ws/41/project/a.cpp"}, kHere),
      key({"g++", "-I/home/ci/ws/42/project/include", "/home/ci/ws/42/project/a.cpp"}, kThere));
}

TEST(JobKey, DiffersForDifferentJobs) {
  const std::vector<std::pair<Command, Command>> rows{
      {{"g++", "-c", "heavy.cpp"}, {"g++", "-c", "light.cpp"}},
      {{"g++", "-c", "a/x.cpp"}, {"g++", "-c", "b/x.cpp"}},
      {{"g++", "-O0", "-c", "a.cpp"}, {"g++", "-O2", "-c", "a.cpp"}},
      {{"g++", "-std=c++17", "-c", "a.cpp"}, {"g++", "-std=c++20", "-c", "a.cpp"}},
      {{"g++", "-DHUGE", "-c", "a.cpp"}, {"g++", "-c", "a.cpp"}},
      {{"cargo", "build"}, {"cargo", "test"}},
      {{"clang++", "-c", "a.cpp"}, {"g++", "-c", "a.cpp"}},
      {{"sh", "-c", "cd a && make"}, {"sh", "-c", "cd b && make"}},
      {{"t", "/tmp/one/x"}, {"t", "/tmp/two/x"}},
      {{"t", "ab", "c"}, {"t", "a", "bc"}},
      {{"ls", "/usr/lib"}, {"ls", "/usr/share"}},
  };
  for (const auto& [one, other] : rows) {
    EXPECT_NE(key(one), key(other)) << testing::PrintToString(one);
  }
}

TEST(JobKey, DoesNotChangeFromVersionToVersion) {
  EXPECT_EQ(key({"g++", "-O2", "-c", "src/t1_heavy.cpp", "-o", "t1.o"}),
            "g++:t#_heavy.cpp:df08fd8e");
}

TEST(JobKey, IsPrintableAndShortForAnyCommand) {
  std::mt19937 random(1);
  const auto number = [&](int most) { return std::uniform_int_distribution(0, most)(random); };
  const std::string interesting = "ab1/-=.:;'\"\\ $(){}<>|&#\n\t\x01\xff";
  for (int round = 0; round < 3000; ++round) {
    Command command(static_cast<std::size_t>(number(6)));
    for (std::string& word : command) {
      for (int length = number(40); length > 0; --length) {
        word +=
            interesting[static_cast<std::size_t>(number(static_cast<int>(interesting.size()) - 1))];
      }
    }
    if (!command.empty() && number(1)) command.insert(command.begin(), {"sh", "-c"});
    const std::string made = key(command);
    EXPECT_LE(made.size(), 128U);
    EXPECT_TRUE(std::all_of(made.begin(), made.end(), [](char c) { return c > ' ' && c < 127; }));
    EXPECT_EQ(made, key(command));
  }
}

TEST(JobKey, TakesAListOfPathsAsLongAsAnArgumentMayBe) {
  const auto key_in = [](const std::string& folder) {
    std::string list = "-Wl,";
    while (list.size() < 130'000) list += folder + "/c,";
    return key({"g++", list}, {folder, {}});
  };
  EXPECT_EQ(key_in("/a"), key_in("/b"));
}

TEST(JobKey, LooksAtThisProcessOnlyWhenAsked) {
  EXPECT_FALSE(key_place_here().directory.empty());
  EXPECT_FALSE(key_place_here().temporary.empty());
}

}  // namespace
}  // namespace sluice
