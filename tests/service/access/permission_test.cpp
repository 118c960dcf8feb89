// The table of permissions, and its consequences for a request; without sockets.
#include "service/access/permission.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace sluice::testing {
namespace {

constexpr uid_t kDaemon = 990, kAnn = 1001, kBob = 1002;
constexpr gid_t kCi = 2000;

Access access_with(const char* token = nullptr) {
  Access access;
  access.daemon_user = kDaemon;
  access.groups = {kCi};
  access.socket = "/run/test.sock";
  if (token) access.token = std::get<BearerToken>(BearerToken::parse(token));
  return access;
}

http::Peer local(std::optional<uid_t> user, std::vector<gid_t> groups = {}) {
  return {http::Transport::unix_socket, 42, user, std::move(groups)};
}

constexpr const char* kToken = "0123456789abcdef";

Role role_over_tcp(const std::string& authorization, const Access& access) {
  return asker_of({http::Transport::tcp, 0, {}, {}}, authorization, access).standing;
}

Role by_socket(const http::Peer& peer, const Access& access) {
  return asker_of(peer, "", access).standing;
}

/// The rows of the table in the documentation: "| reader | yes | no | no | no |".
std::string row_of(const std::string& name, Role standing) {
  constexpr std::array<const char*, 3> words{"no", "own", "yes"};
  std::string row = "| " + name + " |";
  for (const Action act : {Action::read, Action::submit, Action::modify, Action::operate}) {
    row += " " + std::string(words[static_cast<std::size_t>(may(standing, act))]) + " |";
  }
  return row;
}

TEST(Permission, IsTheTableOfTheDocs) {
  std::ifstream file(SLUICE_SOURCE "/docs/security.md");
  const std::string docs(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(docs.find(row_of("trusted", Role::trusted)), std::string::npos);
  EXPECT_NE(docs.find(row_of("user", Role::user)), std::string::npos);
  EXPECT_NE(docs.find(row_of("reader", Role::reader)), std::string::npos);
  EXPECT_NE(docs.find(row_of("stranger", Role::stranger)), std::string::npos);
}

TEST(Permission, RootAndTheDaemonsUserAreTrustedOnTheSocket) {
  const Access access = access_with();
  EXPECT_EQ(by_socket(local(0), access), Role::trusted);
  EXPECT_EQ(by_socket(local(kDaemon), access), Role::trusted);
  EXPECT_EQ(by_socket(local(kAnn), access), Role::stranger);
  EXPECT_EQ(by_socket(local(std::nullopt), access), Role::stranger);
}

TEST(Permission, UsersAreWhoIsListedOrInAListedGroup) {
  Access access = access_with();
  EXPECT_EQ(by_socket(local(kAnn, {kCi}), access), Role::user);
  EXPECT_EQ(by_socket(local(kAnn, {7, 8, kCi}), access), Role::user);
  EXPECT_EQ(by_socket(local(kAnn, {7, 8}), access), Role::stranger);
  EXPECT_EQ(by_socket(local(std::nullopt, {kCi}), access), Role::stranger);
  access.groups.clear();
  access.users = {kBob};
  EXPECT_EQ(by_socket(local(kBob), access), Role::user);
  EXPECT_EQ(by_socket(local(kAnn, {kCi}), access), Role::stranger);
}

TEST(Permission, OverTcpOnlyTheTokenMakesTrusted) {
  const Access access = access_with(kToken);
  const std::string token = kToken;
  EXPECT_EQ(role_over_tcp("Bearer " + token, access), Role::trusted);
  EXPECT_EQ(role_over_tcp("bearer " + token, access), Role::trusted);
  for (const std::string& wrong : std::vector<std::string>{
           "", token, "Bearer", "Bearer " + token + "x", "Bearer " + token.substr(1),
           "Bearer  " + token, "Bearer " + token + token, "Basic " + token, "Bearer "}) {
    EXPECT_EQ(role_over_tcp(wrong, access), Role::reader) << wrong;
  }
  EXPECT_EQ(role_over_tcp("Bearer " + token, access_with()), Role::reader) << "none is configured";
  EXPECT_EQ(asker_of(local(kAnn), "Bearer " + token, access).standing, Role::stranger)
      << "the token is for TCP";
}

TEST(Permission, ARefusalSaysWhatToDo) {
  const Access none = access_with();
  const Access some = access_with(kToken);
  const auto asks = [](Role standing, Asker::Token token = Asker::Token::none) {
    return Asker{kAnn, standing, token};
  };
  const auto told = [](const std::optional<ApiError>& error) {
    return error ? std::to_string(error->status) + " " + error->code + ": " + error->message : "";
  };
  EXPECT_EQ(told(refuse(asks(Role::stranger), Action::read, "GET", none)),
            "403 not_allowed: user 1001 may not use this daemon: add the user to "
            "`service.allow_uids`, or its group to `service.allow_gids`, and reload");
  EXPECT_EQ(told(refuse(asks(Role::reader), Action::submit, "POST", none)),
            "403 unix_socket_only: TCP access is read-only: use the Unix socket /run/test.sock, or "
            "configure `service.token_file`");
  EXPECT_EQ(told(refuse(asks(Role::reader), Action::submit, "POST", some)),
            "401 token_missing: this request needs the token over TCP: send `Authorization: Bearer "
            "TOKEN`, or use the Unix socket /run/test.sock");
  EXPECT_EQ(told(refuse(asks(Role::reader, Asker::Token::wrong), Action::submit, "POST", some)),
            "401 token_wrong: the token does not match `service.token_file` as last loaded: send "
            "the current token, or reload");
  EXPECT_EQ(told(refuse(asks(Role::user), Action::operate, "drain", none)),
            "403 not_yours_to_operate: user 1001 may not drain, which affects all users' jobs: "
            "only root and the daemon's user (990) may; use sudo, or ask an administrator");
  EXPECT_EQ(told(refuse(asks(Role::trusted), Action::operate, "drain", none)), "");
}

TEST(Permission, AJobIsItsUsersOwn) {
  const Asker ann{kAnn, Role::user, Asker::Token::none};
  EXPECT_TRUE(may_modify(ann, kAnn));
  EXPECT_FALSE(may_modify(ann, kBob));
  EXPECT_FALSE(may_modify(ann, std::nullopt)) << "it came over TCP";
  EXPECT_FALSE(may_modify({std::nullopt, Role::user, Asker::Token::none}, std::nullopt));
  EXPECT_TRUE(may_modify({std::nullopt, Role::trusted, Asker::Token::right}, kAnn));
  EXPECT_FALSE(may_modify({kAnn, Role::stranger, Asker::Token::none}, kAnn))
      << "the lists may have changed since";
}

TEST(Permission, AProcessMustBeTheUsersOwn) {
  const Asker ann{kAnn, Role::user, Asker::Token::none};
  const ProcessUsers own{kAnn, kAnn}, sudo{0, 0}, dropped{0, kAnn}, setuid{kAnn, 0};
  EXPECT_FALSE(refuse_process(ann, 7, own, 9));
  EXPECT_FALSE(refuse_process(ann, 7, setuid, 9)) << "its user may stop it, too";
  EXPECT_TRUE(refuse_process(ann, 7, sudo, 9));
  EXPECT_TRUE(refuse_process(ann, 7, dropped, 9));
  EXPECT_FALSE(refuse_process(ann, 9, dropped, 9)) << "it is the peer itself";
  EXPECT_TRUE(refuse_process(ann, 9, sudo, 9)) << "the peer has ended, its number is another's";
  EXPECT_EQ(refuse_process(ann, 7, std::nullopt, 9)->status, 400);
  EXPECT_FALSE(refuse_process(ann, 9, std::nullopt, 9));
  EXPECT_FALSE(refuse_process({0, Role::trusted, Asker::Token::none}, 7, own, 9));
}

TEST(ProcessUsers, AreReadFromItsStatus) {
  EXPECT_EQ(parse_process_users("Name:\tx\nUmask:\t0022\nUid:\t1001\t0\t0\t0\nGid:\t5\t5\t5\t5\n"),
            (ProcessUsers{1001, 0}));
  for (const char* text :
       {"", "Uid:\t1\t1", "Name:\tx\nUid:\t1", "Name:\tx\nUid:\n", "\nUid:\t-1 2"}) {
    EXPECT_FALSE(parse_process_users(text)) << text;
  }
  EXPECT_EQ(users_of(getpid())->real, getuid());
  EXPECT_FALSE(users_of(1 << 30));
}

TEST(Permission, RunsOfRootAndOfTheDaemonsUserAreFiledTogetherAndOthersByUser) {
  EXPECT_EQ(learned_as(0, 998), "");
  EXPECT_EQ(learned_as(998, 998), "");
  EXPECT_EQ(learned_as(4001, 998), "4001");
  EXPECT_EQ(learned_as(std::nullopt, 998), "tcp") << "with the token as well";
}

}  // namespace
}  // namespace sluice::testing
