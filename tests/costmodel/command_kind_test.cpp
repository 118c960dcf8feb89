#include "costmodel/command_kind.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace sluice {
namespace {

using enum CommandKind;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

struct Case {
  const char* command;
  CommandKind kind;
};

void expect(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    EXPECT_EQ(kind_of(words_of(each.command)), each.kind) << each.command;
  }
}

TEST(CommandKind, IsACompileWhereSourcesAreTranslated) {
  expect({{"cc -c main.c -o main.o", compile},
          {"/usr/bin/g++-12 -O2 -MD -MT a.o -MF a.o.d -o a.o -c ../src/a.cc", compile},
          {"x86_64-linux-gnu-gcc -S a.c", compile},
          {"aarch64-linux-gnu-g++-12 -c a.cpp", compile},
          {"clang++-16 -fsyntax-only a.cpp", compile},
          {"c++ a.cpp b.o -o prog", compile},
          {"gcc -x c++ - -o prog", compile},
          {"cc -c @objects.rsp", compile},
          {"ccache g++ -c a.cpp", compile},
          {"nice -n 5 env LANG=C gcc -c a.c", compile},
          {"rustc --crate-name x --edition=2021 src/lib.rs --emit=link --print native-static-libs",
           compile},
          {"clippy-driver rustc --crate-name x src/lib.rs", compile},
          {"gfortran -c a.f90", compile}});
}

TEST(CommandKind, IsALinkWhereOnlyObjectsAreGiven) {
  expect({{"c++ a.o b.o -o prog -lz -Wl,-rpath,/x", link},
          {"gcc -shared -o libx.so x.o", link},
          {"g++ @link.rsp -o prog", link},
          {"gcc -L /opt/lib.c -o a.c a.o", link},
          {"ld -o prog a.o", link},
          {"/usr/bin/ld.gold -o prog a.o", link},
          {"aarch64-linux-gnu-ld a.o", link},
          {"x86_64-linux-gnu-ld.gold a.o", link},
          {"ld.lld a.o", link}});
}

TEST(CommandKind, IsWeightlessWhereAQuestionIsAskedOrOnlyPreprocessed) {
  expect({{"gcc --version", weightless},
          {"gcc -v", weightless},
          {"gcc", weightless},
          {"cc -dumpmachine", weightless},
          {"c++ -print-prog-name=ld a.o", weightless},
          {"clang --print-resource-dir", weightless},
          {"gcc -### -c a.c", weightless},
          {"gcc -E a.c", weightless},
          {"gcc -dM -E -x c /dev/null", weightless},
          {"g++ -MM a.cc", weightless},
          {"g++ -M -MF a.d a.cc", weightless},
          {"ld --version", weightless},
          {"ld -v", weightless},
          {"rustc -vV", weightless},
          {"rustc --version", weightless},
          {"rustc - --crate-name ___ --print=file-names --print=cfg", weightless},
          {"rustc --print cfg", weightless},
          {"sluice-launch gcc --version", weightless},
          {"ccache gcc --version", weightless}});
}

TEST(CommandKind, TakesAnOptionsValueForNoQuestionAndNoSource) {
  expect({{"gcc -o -E -c a.c", compile},
          {"gcc -MF a.c -o prog a.o", link},
          {"gcc -include a.c -v", weightless}});
}

TEST(CommandKind, IsOtherForEverythingElse) {
  expect({{"true", other},
          {"clang-tidy a.cpp", other},
          {"gcc-ar rcs liba.a a.o", other},
          {"clang-format-16 -i a.cpp", other},
          {"make -j4", other},
          {"python3 gcc.py -E", other},
          {"", other}});
  EXPECT_EQ(kind_of(std::vector<std::string>{"sh", "-c", "gcc --version; make"}), other);
  EXPECT_EQ(kind_of(std::vector<std::string>{"sh", "-c", "exec gcc -c a.c"}), compile);
}

}  // namespace
}  // namespace sluice
