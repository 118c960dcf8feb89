#include "recognition/program_class.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "costmodel/job_key.h"
#include "recognition/configured_programs.h"

namespace sluice {
namespace {

using enum ProgramClass;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void expect(ProgramClass what, const std::vector<std::string>& commands) {
  for (const std::string& each : commands) {
    EXPECT_EQ(program_kind(words_of(each), {}).what, what) << each;
  }
}

bool keeps_time(const std::string& command, const ListedPrograms& listed = {}) {
  return program_kind(words_of(command), listed).keeps_time;
}

TEST(ProgramClass, IsHeavyForWhatCompilesAndLinks) {
  expect(heavy,
         {"/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus -quiet -imultiarch x86_64-linux-gnu a.cc "
          "-quiet -dumpbase a.cc -mtune=generic -o /tmp/ccu7KQ1f.s",
          "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet a.c -o /tmp/x.s",
          "/usr/lib/gcc/x86_64-linux-gnu/12/lto1 -quiet -fltrans a.o",
          "/usr/bin/ld -plugin /usr/lib/x.so -o prog crt1.o main.o -lc",
          "x86_64-linux-gnu-ld.gold -o prog a.o", "ld.lld a.o", "/usr/bin/ld.bfd a.o",
          "x86_64-buildroot-linux-gnu-ld a.o", "mold -o prog a.o",
          "/usr/lib/llvm-16/bin/clang -cc1 -triple x86_64-pc-linux-gnu -emit-obj a.cpp",
          "clang++-16 -O2 -c a.cpp -o a.o", "clang -S a.c",
          "rustc --crate-name x --edition=2021 src/lib.rs --emit=link",
          "/usr/lib/go-1.19/pkg/tool/linux_amd64/compile -o $WORK/b001/_pkg_.a -p main a.go",
          "/usr/lib/go-1.19/pkg/tool/linux_amd64/link -o a.out x.a", "javac A.java"});
}

TEST(ProgramClass, IsTransparentForWhatWaitsForThem) {
  expect(transparent, {"/bin/sh -c g++ -c a.cc",
                       "-bash",
                       "make -j8",
                       "ninja",
                       "cmake --build b",
                       "ctest -j8",
                       "g++ -O2 -c a.cc",
                       "/usr/bin/x86_64-linux-gnu-gcc-12 -o prog a.o",
                       "cc a.c -o prog",
                       "x86_64-buildroot-linux-gnu-gcc -c a.c",
                       "clang++ a.o b.o -o prog",
                       "clang a.c -o prog",
                       "/usr/lib/gcc/x86_64-linux-gnu/12/collect2 -o prog a.o",
                       "as --64 -o a.o /tmp/a.s",
                       "cargo build",
                       "go build ./...",
                       "ccache g++ -c a.cc",
                       "node /usr/bin/npm test",
                       "npm run build",
                       "timeout 60 ./test",
                       "sudo make install",
                       "nsenter --mount=/proc/1/ns/mnt make",
                       "perl /usr/bin/dh build",
                       "python3 /usr/bin/meson compile",
                       "xargs -P8 gzip",
                       "strace -f make",
                       "/usr/bin/conmon --api-version 1 -c 5e3f",
                       "/usr/sbin/runc --log-format=json start 5e3f"});
}

TEST(ProgramClass, IsTransparentForQuestionsAndForWhatOnlyMovesBytes) {
  expect(transparent,
         {"rustc -vV", "ld --version", "g++ --version", "clang --version", "cc1plus -E -quiet a.cc",
          "tee log", "cat", "sleep 60", "mkdir -p a", "watchman watch .", ""});
}

TEST(ProgramClass, IsOtherForWhatNobodyListed) {
  expect(other, {"./generate --all", "python3 setup.py build", "python3 -c pass", "java -jar x.jar",
                 "node worker.js", "gzip -9 a", "clang-tidy a.cpp", "./compile a", "build/link",
                 "tests/unit_test", "python3 -m pytest -n8"});
}

TEST(ProgramClass, IsGovernedForClientsOfTheDaemon) {
  expect(governed, {"sluice run -- make", "/usr/bin/sluice-launch cc -c a.c"});
}

TEST(ProgramClass, IsHeavyForListedProgramsAlsoBehindAnInterpreter) {
  const ListedPrograms listed{.classes = {{"generate", heavy}, {"train.py", heavy}}};
  EXPECT_EQ(program_kind(words_of("./generate --all"), listed).what, heavy);
  EXPECT_EQ(program_kind(words_of("python3.11 tools/train.py 7"), listed).what, heavy);
}

TEST(ProgramClass, IsWhatIsConfiguredAlsoForProgramsThatAreKnown) {
  const ListedPrograms listed{.classes = {{"cc1", transparent}, {"ar", heavy}, {"g++", other}}};
  EXPECT_EQ(program_kind(words_of("/usr/lib/gcc/cc1 -quiet a.c"), listed).what, transparent);
  EXPECT_EQ(program_kind(words_of("ar cr a.a b.o"), listed).what, heavy);
  EXPECT_EQ(program_kind(words_of("g++ -c a.cc"), listed).what, other);
  EXPECT_EQ(program_kind(words_of("cc1plus -quiet a.cc"), listed).what, heavy);
}

TEST(ProgramClass, KnowsAScriptOfAShellByItsNameWhereThatIsConfigured) {
  const ListedPrograms listed{.classes = {{"gen.sh", heavy}}, .timekeepers = {"check.sh"}};
  EXPECT_EQ(program_kind(words_of("/bin/sh ./gen.sh a"), listed).what, heavy);
  EXPECT_EQ(program_kind(words_of("/bin/sh -c ./gen.sh"), listed).what, transparent);
  EXPECT_EQ(program_kind(words_of("/bin/bash other.sh"), listed).what, transparent);
  EXPECT_TRUE(keeps_time("/bin/bash tests/check.sh a", listed));
  EXPECT_FALSE(keeps_time("/bin/bash tests/other.sh a", listed));
}

TEST(ProgramClass, KnowsAnUnlistedProgramToBeHeavyWhereThatWasLearned) {
  const ListedPrograms listed{.classes = {{"protoc", other}},
                              .learned = {"gen.py", "dd", "make", "cc1", "protoc"}};
  const auto is_known_heavy = [&](const std::string& command) {
    return program_kind(words_of(command), listed).is_known_heavy;
  };
  EXPECT_TRUE(is_known_heavy("python3 tools/gen.py a"));
  EXPECT_TRUE(is_known_heavy("/usr/bin/dd if=a"));
  EXPECT_FALSE(is_known_heavy("python3 other.py"));
  EXPECT_FALSE(is_known_heavy("make all")) << "it waits for others";
  EXPECT_FALSE(is_known_heavy("/usr/lib/gcc/cc1 a.c")) << "heavy at once";
  EXPECT_FALSE(is_known_heavy("protoc a.proto")) << "somebody has configured it";
  EXPECT_EQ(program_kind(words_of("dd if=a"), listed).what, other);
}

TEST(ProgramClass, TakesTheNextRunOfAProgramForAsHeavyAsTheLast) {
  ListedPrograms programs;
  learn(programs, "gen", Bytes{64 << 20});
  EXPECT_TRUE(programs.learned.contains("gen"));
  learn(programs, "gen", Bytes{0});
  EXPECT_TRUE(programs.learned.contains("gen")) << "nobody measured it";
  learn(programs, "gen", Bytes{1 << 20});
  EXPECT_FALSE(programs.learned.contains("gen"));
}

TEST(ProgramClass, KnowsWhatRunsAgainstAClock) {
  EXPECT_TRUE(keeps_time("timeout 60 ./test"));
  EXPECT_TRUE(keeps_time("ctest -j8"));
  EXPECT_TRUE(keeps_time("python3 -m pytest -n8"));
  for (const std::string name : {"pytest-3", "py.test", "py.test-3"}) {
    EXPECT_TRUE(keeps_time("/usr/bin/python3 /usr/bin/" + name)) << name;
  }
  EXPECT_TRUE(keeps_time("/usr/bin/python3 /usr/bin/meson test -C b"));
  EXPECT_TRUE(keeps_time("go test ./..."));
  EXPECT_TRUE(keeps_time("./runner", {.timekeepers = {"runner"}}));
  EXPECT_FALSE(keeps_time("go build ./..."));
  EXPECT_FALSE(keeps_time("meson compile"));
  EXPECT_FALSE(keeps_time("make test"));
}

TEST(ProgramClass, TheKeyOfALinkIsOfItsOutput) {
  const auto key = [](const std::string& command) {
    return job_key(command_for_key(words_of(command)), {"/home/a/project", {"/tmp"}});
  };
  const std::string ld =
      "/usr/bin/ld -plugin /usr/lib/liblto_plugin.so -plugin-opt=-fresolution=/tmp/ccX1y2Z3.res "
      "--build-id -m elf_x86_64 -dynamic-linker /lib64/ld-linux-x86-64.so.2 -pie ";
  const std::string prog = key(ld + "-o prog /usr/lib/Scrt1.o main.o alpha.o -lc");
  EXPECT_EQ(prog.rfind("ld:prog:", 0), 0u) << prog;
  EXPECT_NE(key(ld + "-o other /usr/lib/Scrt1.o main.o beta.o -lc"), prog);
  EXPECT_EQ(command_for_key(words_of("cc1plus -m32 a.cc")), words_of("cc1plus -m32 a.cc"));
}

}  // namespace
}  // namespace sluice
