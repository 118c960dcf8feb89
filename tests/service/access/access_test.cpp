// The configured access to a daemon, resolved on this host.
#include "service/access/access.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

namespace sluice::testing {
namespace {

using Read = std::variant<Access, AccessProblem>;

Read read(const ServiceOptions& options) { return read_access(options, 2000, "/run/test.sock"); }

std::string problem_of(const Read& result) {
  const auto* problem = std::get_if<AccessProblem>(&result);
  return problem ? problem->message : "";
}

TEST(Access, IsForTheSocketsGroupUnlessSomebodyIsNamed) {
  const Read result = read({});
  ASSERT_EQ(problem_of(result), "");
  const Access& access = std::get<Access>(result);
  EXPECT_EQ(access.daemon_user, geteuid());
  EXPECT_TRUE(access.users.empty());
  EXPECT_EQ(access.groups, std::vector<gid_t>{2000});
  EXPECT_FALSE(access.token);
  ServiceOptions options;
  options.allow_uids = {"1001"};
  EXPECT_TRUE(std::get<Access>(read(options)).groups.empty());
}

TEST(Access, TakesNamesAndNumbers) {
  ServiceOptions options;
  options.allow_uids = {"root", "1001", "4294967294"};
  options.allow_gids = {"root", "7"};
  const Read result = read(options);
  ASSERT_EQ(problem_of(result), "");
  EXPECT_EQ(std::get<Access>(result).users, (std::vector<uid_t>{0, 1001, 4294967294}));
  EXPECT_EQ(std::get<Access>(result).groups, (std::vector<gid_t>{0, 7}));
}

TEST(Access, NamesWhatIsNotThere) {
  ServiceOptions options;
  options.allow_uids = {"0", "no-such-user"};
  EXPECT_EQ(problem_of(read(options)),
            "service.allow_uids: there is no user `no-such-user` on this host: give its number, or "
            "create it");
  EXPECT_EQ(std::get<AccessProblem>(read(options)).option, "service.allow_uids");
  options.allow_uids = {"4294967295"};
  EXPECT_NE(problem_of(read(options)), "") << "the kernel's sign for nobody";
  options = {};
  options.allow_gids = {"no-such-group"};
  EXPECT_NE(problem_of(read(options)).find("service.allow_gids: there is no group"),
            std::string::npos);
  options = {};
  options.group = "no-such-group";
  const auto group = socket_group(options);
  ASSERT_TRUE(std::holds_alternative<AccessProblem>(group));
  EXPECT_EQ(std::get<AccessProblem>(group).option, "service.group");
}

TEST(Access, TheSocketsGroupIsTheNamedOneOrTheDaemons) {
  EXPECT_EQ(std::get<gid_t>(socket_group({})), getegid());
  ServiceOptions options;
  options.group = "root";
  EXPECT_EQ(std::get<gid_t>(socket_group(options)), 0u);
  options.group = "4000";
  EXPECT_EQ(std::get<gid_t>(socket_group(options)), 4000u);
}

class TokenFile : public ::testing::Test {
 protected:
  /// The problem of a token file with this text and mode; empty if there is none.
  std::string problem_with(const std::string& text, mode_t mode = 0600) const {
    write_file(path, text);
    chmod(path.c_str(), mode);
    return problem_at(path);
  }
  static std::string problem_at(const std::string& place) {
    ServiceOptions options;
    options.token_file = place;
    return problem_of(read(options));
  }

  TemporaryFolder folder;
  const std::string path = folder.path("token");
  const std::string good = "0123456789abcdef";
};

TEST_F(TokenFile, HoldsOneLine) {
  EXPECT_EQ(problem_with(good), "");
  EXPECT_EQ(problem_with(good + "\n"), "");
  EXPECT_EQ(problem_with(good + "\r\n"), "");
  EXPECT_EQ(problem_with(std::string(1024, 'x') + "\n"), "");
  ServiceOptions options;
  options.token_file = path;
  write_file(path, good + "\n");
  EXPECT_TRUE(std::get<Access>(read(options)).token->is_in("Bearer " + good));
}

TEST_F(TokenFile, WithAnythingElseIsRefusedWithoutAWordOfIt) {
  const std::string expected = "service.token_file: " + path +
                               " must hold one line of 16 to 1024 printable characters without "
                               "blanks: `openssl rand -hex 32` prints one";
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("short"), good + "\n" + good, good + " x",
        std::string(1025, 'x'), std::string(100'000, 'x'), good + "\xc3\xa9",
        std::string(20, '\0')}) {
    EXPECT_EQ(problem_with(text), expected) << text.size();
  }
}

TEST_F(TokenFile, ThatOthersCanReadOrWriteIsRefused) {
  EXPECT_EQ(problem_with(good, 0400), "");
  EXPECT_EQ(problem_with(good, 0640), "") << "a group of its readers may be";
  EXPECT_EQ(problem_with(good, 0644),
            "service.token_file: " + path +
                " is world-readable (mode 644): chmod 600 and create a new token");
  for (const mode_t mode : {0620, 0602, 0666}) {
    EXPECT_NE(problem_with(good, mode).find("can be written by others"), std::string::npos);
  }
}

TEST_F(TokenFile, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  write_file(path, good);
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  ASSERT_EQ(chown(path.c_str(), 4001, 4001), 0);
  EXPECT_NE(problem_at(path).find("belongs to user 4001, which could change the token"),
            std::string::npos);
}

TEST_F(TokenFile, MustBeAFileThatIsThere) {
  EXPECT_EQ(problem_at(path), "service.token_file: " + path + ": No such file or directory");
  EXPECT_NE(problem_at(folder.path("")).find("is not a file"), std::string::npos);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(problem_at(path).find("is not a file"), std::string::npos) << "and nobody waits for it";
}

}  // namespace
}  // namespace sluice::testing
