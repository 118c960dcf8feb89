#include "service/jobserver/auth_style.h"

#include <gtest/gtest.h>

namespace sluice::jobserver {
namespace {

TEST(AuthStyle, ReadsVersions) {
  EXPECT_EQ(parse_version("GNU Make 4.3\nBuilt for x86_64-pc-linux-gnu"), (Version{4, 3}));
  EXPECT_EQ(parse_version("GNU Make 4.4.1"), (Version{4, 4}));
  EXPECT_EQ(parse_version("gcc (Debian 12.2.0-14+deb12u1) 12.2.0"), (Version{12, 2}));
  EXPECT_EQ(parse_version("cargo 1.95.0 (f2d3ce0bd 2026-03-21)"), (Version{1, 95}));
  EXPECT_EQ(parse_version("bmake"), std::nullopt);
  EXPECT_EQ(parse_version(""), std::nullopt);
  EXPECT_EQ(parse_version("99999999999999999999.1"), std::nullopt);
}

TEST(AuthStyle, KnowsProgramsByTheirFileName) {
  EXPECT_EQ(client_kind("/usr/bin/make"), ClientKind::make);
  EXPECT_EQ(client_kind("gmake"), ClientKind::make);
  EXPECT_EQ(client_kind("cmake"), ClientKind::other);
  EXPECT_EQ(client_kind("ninja"), ClientKind::ninja);
  EXPECT_EQ(client_kind("/root/.cargo/bin/cargo"), ClientKind::cargo);
  EXPECT_EQ(client_kind("g++"), ClientKind::gcc);
  EXPECT_EQ(client_kind("x86_64-linux-gnu-gcc-12"), ClientKind::gcc);
  EXPECT_EQ(client_kind("clang++-16"), ClientKind::other);
  EXPECT_EQ(client_kind(""), ClientKind::other);
}

TEST(AuthStyle, IsTheOneThatTheClientUnderstands) {
  struct Row {
    ClientKind kind;
    ClientVersions versions;
    AuthStyle style;
  };
  const Row rows[] = {
      {ClientKind::make, {Version{4, 1}, {}, {}}, AuthStyle::old_pipe},
      {ClientKind::make, {Version{4, 2}, {}, {}}, AuthStyle::pipe},
      {ClientKind::make, {Version{4, 3}, Version{14, 0}, {}}, AuthStyle::pipe},
      {ClientKind::make, {Version{4, 4}, Version{14, 0}, {}}, AuthStyle::fifo},
      {ClientKind::make, {Version{4, 4}, Version{12, 2}, {}}, AuthStyle::pipe},
      {ClientKind::make, {Version{4, 4}, {}, {}}, AuthStyle::fifo},
      {ClientKind::ninja, {Version{4, 4}, Version{12, 2}, {}, Version{1, 13}}, AuthStyle::fifo},
      {ClientKind::ninja, {Version{4, 4}, Version{12, 2}, {}, Version{1, 11}}, AuthStyle::pipe},
      {ClientKind::ninja, {Version{4, 3}, Version{14, 0}, {}, Version{1, 13}}, AuthStyle::pipe},
      {ClientKind::ninja, {Version{4, 3}, Version{14, 0}, {}, Version{1, 11}}, AuthStyle::pipe},
      {ClientKind::ninja, {Version{4, 1}, {}, {}, Version{1, 13}}, AuthStyle::old_pipe},
      {ClientKind::ninja, {}, AuthStyle::fifo},
      {ClientKind::cargo, {{}, {}, Version{1, 95}}, AuthStyle::fifo},
      {ClientKind::cargo, {Version{4, 4}, {}, Version{1, 95}}, AuthStyle::fifo},
      {ClientKind::cargo, {Version{4, 3}, {}, Version{1, 95}}, AuthStyle::pipe},
      {ClientKind::cargo, {Version{4, 1}, {}, Version{1, 95}}, AuthStyle::old_pipe},
      {ClientKind::cargo, {{}, {}, Version{1, 65}}, AuthStyle::pipe},
      {ClientKind::cargo, {}, AuthStyle::pipe},
      {ClientKind::gcc, {Version{4, 4}, Version{12, 2}, {}}, AuthStyle::pipe},
      {ClientKind::gcc, {Version{4, 3}, Version{13, 1}, {}}, AuthStyle::pipe},
      {ClientKind::gcc, {Version{4, 4}, Version{13, 1}, {}}, AuthStyle::fifo},
      {ClientKind::other, {Version{4, 3}, {}, {}}, AuthStyle::pipe},
      {ClientKind::other, {}, AuthStyle::fifo},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(style_for(row.kind, row.versions), row.style) << "row " << &row - rows;
  }
}

TEST(AuthStyle, OfCargoIsOneThatAMakeCalledByABuildScriptUnderstands) {
  const Version cargo{1, 95};
  EXPECT_EQ(cargo_style_for(ClientKind::cargo, {Version{4, 4}, {}, cargo}), AuthStyle::fifo);
  EXPECT_EQ(cargo_style_for(ClientKind::cargo, {{}, {}, cargo}), AuthStyle::fifo);
  EXPECT_EQ(cargo_style_for(ClientKind::cargo, {Version{4, 3}, {}, cargo}), AuthStyle::pipe);
  EXPECT_EQ(cargo_style_for(ClientKind::cargo, {Version{4, 4}, {}, Version{1, 65}}),
            AuthStyle::pipe);
  EXPECT_EQ(cargo_style_for(ClientKind::make, {Version{4, 3}, {}, {}}), AuthStyle::pipe);
  EXPECT_EQ(cargo_style_for(ClientKind::other, {Version{4, 4}, Version{12, 2}, {}}),
            AuthStyle::fifo);
}

TEST(AuthStyle, NinjaTakesTokensOnlyFromAFifo) {
  EXPECT_EQ(lacks_for_tokens(Version{1, 13}, AuthStyle::fifo), "");
  EXPECT_NE(lacks_for_tokens(Version{1, 13}, AuthStyle::both).find("only from a fifo"),
            std::string::npos);
  EXPECT_NE(lacks_for_tokens(Version{1, 13}, AuthStyle::pipe).find("only from a fifo"),
            std::string::npos);
  EXPECT_EQ(lacks_for_tokens(Version{1, 11}, AuthStyle::fifo), "ninja 1.13 and later take them");
  EXPECT_EQ(lacks_for_tokens(std::nullopt, AuthStyle::pipe), "ninja 1.13 and later take them");
}

TEST(AuthStyle, SaysWhereTheTokensAre) {
  const TokenAddress address{"/run/x/fifo", 20, 21};
  EXPECT_EQ(token_options(AuthStyle::fifo, address), "--jobserver-auth=fifo:/run/x/fifo");
  EXPECT_EQ(token_options(AuthStyle::pipe, address), "--jobserver-auth=20,21");
  EXPECT_EQ(token_options(AuthStyle::both, address),
            "--jobserver-auth=fifo:/run/x/fifo --jobserver-auth=20,21");
  EXPECT_EQ(token_options(AuthStyle::old_pipe, address), "--jobserver-fds=20,21");
}

TEST(AuthStyle, KeepsTheUsersFlags) {
  const auto with = [](std::string_view flags) { return makeflags_with(flags, "--ours"); };
  EXPECT_EQ(with(""), " --ours");
  EXPECT_EQ(with("k"), "k --ours");
  EXPECT_EQ(with("ks -l2.5"), "ks -l2.5 --ours");
  EXPECT_EQ(with(" -j8 --jobserver-auth=3,4"), " --ours");
  EXPECT_EQ(with("-j --jobserver-fds=3,4 -k"), "-k --ours");
  EXPECT_EQ(with("w --jobserver-style=pipe -- CC=gcc\\ -m32 V=1"), "w --ours -- CC=gcc\\ -m32 V=1");
  EXPECT_EQ(with("-- JOBS=-j8"), " --ours -- JOBS=-j8");
  EXPECT_EQ(with("k -Ia\\"), "k -Ia\\\\ --ours");
}

TEST(AuthStyle, FindsAnOptionThatMakesTheClientDeaf) {
  const auto found = [](std::vector<std::string> command) { return own_jobs_option(command); };
  EXPECT_EQ(found({"make", "all"}), std::nullopt);
  EXPECT_EQ(found({"make", "-j8"}), "-j8");
  EXPECT_EQ(found({"make", "-kj", "8"}), "-kj");
  EXPECT_EQ(found({"make", "-j"}), "-j");
  EXPECT_EQ(found({"make", "--jobs=8", "all"}), "--jobs=8");
  EXPECT_EQ(found({"make", "-C", "-j8"}), std::nullopt);
  EXPECT_EQ(found({"make", "-Cj"}), std::nullopt);
  EXPECT_EQ(found({"make", "--", "-j8"}), std::nullopt);
  EXPECT_EQ(found({"make", "-l2", "JOBS=-j8"}), std::nullopt);
  EXPECT_EQ(found({"ninja", "-v", "-j8"}), "-j8");
  EXPECT_EQ(found({"cargo", "build", "-j", "4"}), "-j");
  EXPECT_EQ(found({"./build.sh", "-j8"}), std::nullopt);
  EXPECT_EQ(found({}), std::nullopt);
  EXPECT_EQ(own_jobs_flag("k -j8"), "-j8");
  EXPECT_EQ(own_jobs_flag("-- JOBS=-j8"), std::nullopt);
}

TEST(AuthStyle, OfSeveralOptionsTakesTheLastLikeTheClient) {
  EXPECT_EQ(own_jobs_option({"make", "-j2", "-j6", "all"}), "-j6");
  EXPECT_EQ(own_jobs_place({"make", "-j", "2", "-C", "x", "-j", "6"}), 5u);
  EXPECT_EQ(own_jobs_option({"ninja", "-j8", "-j"}), "-j");
  EXPECT_EQ(own_jobs_option({"make", ";", "make", "-j2", ";", "make", "-j6"}), "-j2");
  EXPECT_EQ(own_jobs_flag("k -j2 -j6 -- JOBS=-j8"), "-j6");
}

TEST(AuthStyle, AnOptionOfAnotherProgramBehindTheClientIsNotItsOwn) {
  EXPECT_EQ(own_jobs_option({"make", "all", ";", "pytest", "-j4", ";"}), std::nullopt);
  EXPECT_EQ(own_jobs_option({"ninja", ";", "ctest", "-j", "8", ";"}), std::nullopt);
  EXPECT_EQ(own_jobs_option({"make", ";", "ctest", "-j8", ";", "gmake", "-j2", ";"}), "-j2");
}

}  // namespace
}  // namespace sluice::jobserver
