#include "service/jobserver/token_fifo.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "few_descriptors.h"
#include "fixture.h"
#include "service/jobserver/client_setting.h"
#include "thread_rights.h"

namespace sluice::jobserver {
namespace {
using namespace sluice::testing;
namespace fs = std::filesystem;

TokenFifo make_in(const TemporaryFolder& folder) {
  auto made = TokenFifo::make(folder.path(""));
  if (const auto* problem = std::get_if<std::string>(&made)) throw std::runtime_error(*problem);
  return std::move(std::get<TokenFifo>(made));
}

std::size_t entries(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path("")), fs::directory_iterator()));
}

TEST(TokenFifo, CountsWhatLiesInIt) {
  const TemporaryFolder folder;
  const TokenFifo fifo = make_in(folder);
  EXPECT_EQ(fifo.idle(), 0u);
  EXPECT_EQ(fifo.take_tokens(5), 0u);
  EXPECT_EQ(fifo.put(3), 3u);
  EXPECT_EQ(fifo.idle(), 3u);
  EXPECT_EQ(fifo.take_tokens(2), 2u);
  EXPECT_EQ(fifo.take_tokens(2), 1u);
  EXPECT_EQ(fifo.put(1000), 1000u);
  EXPECT_EQ(fifo.take_tokens(2000), 1000u);
}

TEST(TokenFifo, IsOpenToCargoByDescriptorsThatMakeDoesNotClose) {
  const TemporaryFolder folder;
  const TokenFifo fifo = make_in(folder);
  const auto made = ClientSetting::make(fifo.path(), {AuthStyle::pipe, AuthStyle::pipe});
  const auto& setting = std::get<ClientSetting>(made);
  const std::vector<int> kept = setting.kept();
  ASSERT_EQ(kept.size(), 4u);
  const auto pair = [&](std::size_t first) {
    return std::to_string(kept[first]) + "," + std::to_string(kept[first + 1]);
  };
  auto told = setting.environment("");
  EXPECT_EQ(told["MAKEFLAGS"], " --jobserver-auth=" + pair(0));
  EXPECT_EQ(told["CARGO_MAKEFLAGS"],
            "-j --jobserver-fds=" + pair(2) + " --jobserver-auth=" + pair(2));
  for (const int end : {kept[1], kept[3]}) EXPECT_EQ(write(end, "+", 1), 1);
  EXPECT_EQ(fifo.idle(), 2u);
  const auto by_path = ClientSetting::make(fifo.path(), {AuthStyle::pipe, AuthStyle::fifo});
  EXPECT_EQ(std::get<ClientSetting>(by_path).kept().size(), 2u);
}

TEST(TokenFifo, IsPrivateAndGoesAway) {
  const TemporaryFolder folder;
  std::string path;
  {
    const TokenFifo fifo = make_in(folder);
    path = fifo.path();
    struct stat facts {};
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_TRUE(S_ISFIFO(facts.st_mode));
    EXPECT_EQ(facts.st_mode & 0777, 0600u);
    ASSERT_EQ(stat(fs::path(path).parent_path().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0700u);
  }
  EXPECT_EQ(entries(folder), 0u);
}

TEST(TokenFifo, OfAnotherUserLiesWhereThatUserCanPutNothing) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const TemporaryFolder folder;
  const auto made = TokenFifo::make(folder.path(""), uid_t{4001});
  ASSERT_TRUE(std::holds_alternative<TokenFifo>(made)) << std::get<std::string>(made);
  const std::string path = std::get<TokenFifo>(made).path();
  struct stat facts {};
  ASSERT_EQ(lstat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, 4001u);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
  ASSERT_EQ(lstat(fs::path(path).parent_path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, 0u) << "its owner could put a link in the fifo's place";
  EXPECT_EQ(facts.st_mode & 07777, 0711u);
}

/// Where the fifos of users and the folder for temporary files are.
class TokenFifoPlace : public ::testing::Test {
 protected:
  TokenFifoPlace() {
    fs::create_directory(folder.path("temporary"));
    setenv("TMPDIR", folder.path("temporary").c_str(), 1);
  }
  ~TokenFifoPlace() override {
    unsetenv("TMPDIR");
    unsetenv("XDG_RUNTIME_DIR");
  }

  /// The folder of a new fifo while $XDG_RUNTIME_DIR is a new folder of that name and mode.
  std::string place(const std::string& name, mode_t mode, uid_t owner = geteuid()) const {
    const std::string runtime = folder.path(name);
    fs::create_directory(runtime);
    EXPECT_EQ(chmod(runtime.c_str(), mode), 0);
    EXPECT_EQ(chown(runtime.c_str(), owner, static_cast<gid_t>(-1)), 0);
    setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
    const auto made = TokenFifo::make();
    if (const auto* problem = std::get_if<std::string>(&made)) return *problem;
    return fs::path(std::get<TokenFifo>(made).path()).parent_path().parent_path();
  }

  const TemporaryFolder folder;
};

TEST_F(TokenFifoPlace, IsTheRuntimeFolderOfTheUser) {
  EXPECT_EQ(place("own", 0700), folder.path("own"));
}

TEST_F(TokenFifoPlace, IsNoRuntimeFolderThatOthersCanChange) {
  EXPECT_EQ(place("open", 0770), folder.path("temporary"));
}

TEST_F(TokenFifoPlace, IsNoRuntimeFolderThatSuKeptOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give folders away";
  EXPECT_EQ(place("other", 0700, uid_t{4001}), folder.path("temporary"));
}

TEST_F(TokenFifoPlace, IsAFolderWhosePathMakeCanRead) {
  EXPECT_EQ(place("with blank", 0700), folder.path("temporary"));
  const std::string temporary = folder.path("two words");
  fs::create_directory(temporary);
  setenv("TMPDIR", temporary.c_str(), 1);
  EXPECT_EQ(place("with blank", 0700), "/tmp");
}

TEST_F(TokenFifoPlace, IsNoOtherFolderThanTheGivenOneEvenIfMakeCannotReadThat) {
  ASSERT_EQ(place("own", 0700), folder.path("own"));
  const std::string given = folder.path("two words");
  fs::create_directory(given);
  const auto made = TokenFifo::make(given);
  ASSERT_TRUE(std::holds_alternative<std::string>(made)) << std::get<TokenFifo>(made).path();
  EXPECT_EQ(std::get<std::string>(made),
            "the path of the tokens, '" + given +
                "', has a blank, which make cannot read: the daemon's socket must be in a folder "
                "without");
  EXPECT_TRUE(fs::is_empty(given));
  EXPECT_TRUE(fs::is_empty(folder.path("own")));
}

TEST(TokenFifo, NoClientWaitsForTheOtherEndOrLosesTokens) {
  const TemporaryFolder folder;
  const TokenFifo fifo = make_in(folder);
  for (int client = 0; client < 2; ++client) {
    const int reads = open(fifo.path().c_str(), O_RDONLY | O_CLOEXEC);
    const int writes = open(fifo.path().c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_GE(reads, 0);
    ASSERT_GE(writes, 0);
    ASSERT_EQ(write(writes, "x", 1), 1);
    close(reads);
    close(writes);
  }
  EXPECT_EQ(fifo.idle(), 2u);
}

TEST(TokenFifo, IsReadableWhileATokenIsIdle) {
  const TemporaryFolder folder;
  const TokenFifo fifo = make_in(folder);
  pollfd ready{fifo.descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&ready, 1, 0), 0);
  fifo.put(1);
  EXPECT_EQ(poll(&ready, 1, 0), 1);
}

TEST(TokenFifo, SaysWhyItCannotBeMade) {
  const auto made = TokenFifo::make("/nonexistent");
  ASSERT_TRUE(std::holds_alternative<std::string>(made));
  EXPECT_NE(std::get<std::string>(made).find("/nonexistent: No such file"), std::string::npos);
}

TEST(TokenFifo, SaysThatNoDescriptorIsLeftForIt) {
  const TemporaryFolder folder;
  const int next = dup(STDIN_FILENO);
  close(next);
  std::string problem;
  {
    const FewDescriptors few(static_cast<rlim_t>(next));
    const auto made = TokenFifo::make(folder.path(""));
    ASSERT_TRUE(std::holds_alternative<std::string>(made));
    problem = std::get<std::string>(made);
  }
  EXPECT_NE(problem.find(": Too many open files"), std::string::npos) << problem;
  EXPECT_EQ(entries(folder), 0u);
}

TEST(TokenFifo, WhatAKilledProcessLeftIsSweptAndNothingElse) {
  const TemporaryFolder folder;
  const TokenFifo alive = make_in(folder);
  const pid_t child = fork();
  if (child == 0) {
    const auto left = TokenFifo::make(folder.path(""));
    kill(getpid(), SIGKILL);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  ASSERT_EQ(entries(folder), 2u);
  EXPECT_EQ(sweep_token_fifos(folder.path("")), 1u);
  EXPECT_TRUE(fs::exists(alive.path()));
  EXPECT_EQ(sweep_token_fifos(folder.path("")), 0u);
}

TEST(TokenFifo, WhatAKilledProcessLeftIsSweptOnlyOnceNobodyReadsIt) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto left = TokenFifo::make(folder.path(""));
    kill(getpid(), SIGKILL);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const std::string fifo = fs::directory_iterator(folder.path(""))->path().string() + "/fifo";
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  EXPECT_EQ(sweep_token_fifos(folder.path("")), 0u);
  EXPECT_TRUE(fs::exists(fifo));
  close(reader);
  EXPECT_EQ(sweep_token_fifos(folder.path("")), 1u);
}

TEST(TokenFifo, OfAnotherUserThatThisOneCannotOpenIsNotSwept) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto left = TokenFifo::make(folder.path(""), uid_t{4001});
    kill(getpid(), SIGKILL);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  {
    ThreadRights rights;
    ASSERT_TRUE(rights.drop(CAP_DAC_OVERRIDE));
    EXPECT_EQ(sweep_token_fifos(folder.path("")), 0u) << "a build may have it open";
  }
  EXPECT_EQ(sweep_token_fifos(folder.path("")), 1u);
}

}  // namespace
}  // namespace sluice::jobserver
