// Descriptors that a daemon must refuse and close.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "attach_fixture.h"
#include "raw_socket.h"

namespace sluice::testing::attach_test {
namespace {

std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::distance(
      std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

/// The minimum of several samples, since sensors open files briefly.
std::size_t descriptors_at_rest() {
  std::size_t least = open_descriptors();
  for (int look = 0; look < 50; ++look) least = std::min(least, open_descriptors());
  return least;
}

struct Sent {
  const char* what;
  std::vector<std::string> paths;
  std::string body;
  std::string says;
};

TEST_F(Attach, WhatIsNoCgroupIsRefusedAndClosed) {
  const RunningDaemon daemon(kSidecar);
  const std::string file = folder.path("file");
  write_file(file, "x");
  const std::string one = R"({"directories":[{"controllers":"memory","path":"/g"}]})";
  const std::vector<Sent> rows{
      {"a file", {file}, one, "descriptor 1 (memory, `/g`) is a file, not a directory of a cgroup"},
      {"a directory of tmpfs",
       {"/dev/shm"},
       one,
       "descriptor 1 (memory, `/g`) is on tmpfs, not a cgroup"},
      {"a directory of proc",
       {"/proc"},
       one,
       "descriptor 1 (memory, `/g`) is on proc, not a cgroup"},
      {"no descriptor",
       {},
       one,
       "no descriptor came with the request, for 1 directories: send them with the first byte "
       "(SCM_RIGHTS)"},
      {"two for one",
       {"/proc", "/proc"},
       one,
       "2 descriptors came with the request, for 1 directories: send them with the first byte "
       "(SCM_RIGHTS)"},
      {"no directories", {"/proc"}, "{}", "`directories` is missing"},
      {"an empty list",
       {"/proc"},
       R"({"directories":[]})",
       "`directories` must be a list of 1 to 8 objects, one for each descriptor"},
      {"no list",
       {"/proc"},
       R"({"directories":"/proc"})",
       "`directories` must be a list of 1 to 8 objects, one for each descriptor"},
  };
  // Stays open, so neither its end nor that of an earlier connection disturbs the counts.
  Client stays = daemon.client();
  stays.call("GET", "/v1/status");
  const std::size_t before = descriptors_at_rest();
  for (const Sent& row : rows) {
    std::vector<int> descriptors;
    for (const std::string& path : row.paths) {
      descriptors.push_back(open(path.c_str(), O_PATH | O_CLOEXEC));
    }
    {
      Client client = daemon.client();
      const auto reply = client.call("POST", "/v1/attach", row.body, descriptors);
      ASSERT_TRUE(std::holds_alternative<ClientReply>(reply)) << row.what;
      EXPECT_EQ(message_of(std::get<ClientReply>(reply)), row.says) << row.what;
      EXPECT_NE(std::get<ClientReply>(reply).status, 200) << row.what;
    }
    for (const int each : descriptors) close(each);
    EXPECT_TRUE(eventually([&] { return open_descriptors() <= before; })) << row.what;
  }
  EXPECT_TRUE(is_red(daemon));
}

/// Sends as many descriptors as the kernel accepts at once.
void send_many(int socket, std::string_view bytes, std::size_t count) {
  std::vector<int> descriptors(count, STDIN_FILENO);
  std::vector<char> control(CMSG_SPACE(count * sizeof(int)));
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::copy(descriptors.begin(), descriptors.end(), reinterpret_cast<int*>(CMSG_DATA(header)));
  ASSERT_EQ(sendmsg(socket, &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

TEST_F(Attach, TwoHundredDescriptorsAreClosedAndSaidToBeTooMany) {
  const RunningDaemon daemon(kSidecar);
  const std::size_t before = descriptors_at_rest();
  {
    const RawSocket peer(daemon.socket());
    const std::string body = R"({"directories":[{"controllers":"memory","path":"/g"}]})";
    send_many(peer.descriptor(),
              "POST /v1/attach HTTP/1.1\r\nHost: s\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n" + body,
              200);
    EXPECT_NE(peer.hear("}}").find("too many descriptors: at most 8 with a request"),
              std::string::npos);
  }
  EXPECT_TRUE(eventually([&] { return open_descriptors() <= before; }));
}

TEST_F(Attach, DescriptorsOfRequestsThatNeverEndAreBounded) {
  const RunningDaemon daemon(kSidecar);
  const std::size_t before = open_descriptors();
  std::vector<RawSocket> peers;
  for (int peer = 0; peer < 20; ++peer) {
    peers.emplace_back(daemon.socket());
    send_many(peers.back().descriptor(), "POST /v1/attach HTTP/1.1\r\n", 8);
  }
  ASSERT_EQ(daemon.ask("GET", "/livez").status, 200);
  // Each has one end here and one in the daemon, which is this process as well.
  EXPECT_LE(open_descriptors(), before + 2 * peers.size() + 24 + 2);
  EXPECT_EQ(attach_own(daemon).status, 422) << "the allowance is used up";
  peers.clear();
  EXPECT_TRUE(eventually([&] { return attach_own(daemon).status == 200; }));
}

TEST_F(Attach, DescriptorsThatComeWithOtherRequestsAreClosed) {
  const RunningDaemon daemon(kSidecar);
  const RawSocket peer(daemon.socket());
  const std::size_t before = open_descriptors();
  send_many(peer.descriptor(), "GET /livez HTTP/1.1\r\nHost: s\r\n\r\n", 5);
  EXPECT_NE(peer.hear("ok\n").find("200"), std::string::npos);
  EXPECT_LE(open_descriptors(), before + 1);
}

TEST_F(Attach, AControllerOfTwoDirectoriesIsRefused) {
  const RunningDaemon daemon(kSidecar);
  auto own = std::get<0>(open_own_group());
  own.push_back(own.front());
  std::vector<int> descriptors;
  for (const GroupFolder& each : own) descriptors.push_back(each.held->descriptor());
  Client client = daemon.client();
  const auto reply = client.call("POST", "/v1/attach", attach_body(own), descriptors);
  ASSERT_EQ(std::get<ClientReply>(reply).status, 422);
  EXPECT_NE(message_of(std::get<ClientReply>(reply)).find("is named by two directories"),
            std::string::npos)
      << std::get<ClientReply>(reply).body;
}

}  // namespace
}  // namespace sluice::testing::attach_test
