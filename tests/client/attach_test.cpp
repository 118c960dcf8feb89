// Executors that pass their cgroup to a daemon, and descriptors that must be rejected.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <filesystem>

#include "client/attach_client.h"
#include "command_runner.h"
#include "fixture.h"
#include "raw_socket.h"
#include "real_cgroup.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

constexpr const char* kSidecar =
    "window: {initial: 20, minimum: 10, maximum: 40, interval: 10ms}\n"
    "sensors: {cgroup: {source: attach}, memory: off, load: off, memory_pressure: off,\n"
    "          io_pressure: off, disk: off, pids: off, starting: off}\n";

json::object object_of(const std::string& body) {
  json::error_code problem;
  const json::value value = json::parse(body, problem);
  return value.is_object() ? value.get_object() : json::object{};
}

std::string message_of(const ClientReply& reply) { return message_in(reply.body); }

json::object sensor_of(const RunningDaemon& daemon) {
  const json::object status = object_of(daemon.ask("GET", "/v1/status").body);
  for (const json::value& each : status.at("sensors").as_array()) {
    if (each.at("name") == "cgroup") return each.get_object();
  }
  return {};
}

bool is_red(const RunningDaemon& daemon) { return sensor_of(daemon).at("verdict") == "red"; }

std::int64_t window_of(const RunningDaemon& daemon) {
  return object_of(daemon.ask("GET", "/v1/status").body)
      .at("window")
      .at("size")
      .to_number<std::int64_t>();
}

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

/// The sources in the samples of `sluice_sensor_source_info` for the cgroup sensor.
std::vector<std::string> sources_in(const RunningDaemon& daemon) {
  const std::string text = daemon.ask("GET", "/metrics").body;
  const std::string start = "sluice_sensor_source_info{sensor=\"cgroup\",source=\"";
  std::vector<std::string> sources;
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const std::size_t begin = at + start.size();
    sources.push_back(text.substr(begin, text.find('"', begin) - begin));
  }
  return sources;
}

ClientReply attach_own(const RunningDaemon& daemon) {
  const auto group = open_own_group();
  std::vector<int> descriptors;
  for (const GroupFolder& folder : std::get<0>(group)) {
    descriptors.push_back(folder.held->descriptor());
  }
  Client client = daemon.client();
  const auto reply =
      client.call("POST", "/v1/attach", attach_body(std::get<0>(group)), descriptors);
  return std::get<ClientReply>(reply);
}

class Attach : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto own = open_own_group();
    if (own.index() != 0) GTEST_SKIP() << failure_in(own).what;
  }
  TemporaryFolder folder;
};

TEST_F(Attach, NothingIsAdmittedUntilAnExecutorHas) {
  const RunningDaemon daemon(kSidecar);
  ASSERT_EQ(daemon.ask("POST", "/v1/jobs", R"({"id":"a","cost":5})").status, 201);
  const json::object waiting = object_of(daemon.ask("GET", "/v1/jobs/a").body);
  EXPECT_EQ(waiting.at("state"), "pending") << "an idle host takes one job, but not here";
  const json::object blind = sensor_of(daemon);
  EXPECT_TRUE(blind.at("verdict") == "red");
  EXPECT_EQ(blind.at("failure"),
            "no executor has attached its cgroup yet: run `sluice attach` in its container");
  EXPECT_EQ(sources_in(daemon), std::vector<std::string>{"none"});
  EXPECT_EQ(daemon.ask("GET", "/readyz").status, 200) << "a native sidecar starts first";
  EXPECT_EQ(window_of(daemon), 20) << "what is not known cuts nothing";

  const ClientReply attached = attach_own(daemon);
  ASSERT_EQ(attached.status, 200) << attached.body;
  EXPECT_TRUE(eventually(
      [&] { return object_of(daemon.ask("GET", "/v1/jobs/a").body).at("state") == "running"; }));
  const std::vector<std::string> sources = sources_in(daemon);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources.front().substr(0, 8), "attach:/") << sources.front();
  EXPECT_NE(daemon.log().find("attached its cgroup"), std::string::npos);
}

TEST_F(Attach, UnderTheMailingListsLawNothingIsCutEither) {
  const RunningDaemon daemon(
      "window: {law: rfc, initial: 20, minimum: 10, maximum: 40, interval: 10ms}\n"
      "sensors: {cgroup: {source: attach}, memory: off, load: off, disk: off, pids: off}\n");
  const auto failures = [&] { return sensor_of(daemon).at("failures").to_number<std::int64_t>(); };
  ASSERT_TRUE(eventually([&] { return failures() > 5; }));
  EXPECT_EQ(window_of(daemon), 20);
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

TEST_F(Attach, TheSameGroupAgainChangesNothing) {
  const RunningDaemon daemon(kSidecar);
  ASSERT_EQ(attach_own(daemon).status, 200);
  EXPECT_EQ(attach_own(daemon).status, 200);
  const std::string log = daemon.log();
  const std::string line = "attached its cgroup /";
  EXPECT_EQ(log.find(line, log.find(line) + 1), std::string::npos) << "no sensor is rebuilt for it";
}

TEST_F(Attach, ADaemonThatIsNoSidecarSaysSo) {
  const RunningDaemon daemon;
  const ClientReply refused = attach_own(daemon);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(message_of(refused),
            "this daemon judges its own cgroup: set `sensors.cgroup.source: attach` and restart "
            "it");
}

/// The output and exit status of `sluice-attach`, started by another command if one is given.
struct Ended {
  int status = 0;
  std::string out, err;
};

Ended run_attach(const std::string& folder, std::vector<std::string> command) {
  CommandRunner runner(command, folder);
  const int status = runner.wait();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, runner.out(), runner.err()};
}

/// Like an executor whose container has the group.
Ended attach_from(const RealCgroup& group, const RunningDaemon& daemon, const std::string& folder) {
  return run_attach(folder, {"/bin/sh", "-c",
                             "echo $$ > " + group.folder() +
                                 "/cgroup.procs; exec " SLUICE_ATTACH " --once --json --socket " +
                                 daemon.socket()});
}

TEST_F(Attach, TheStaticProgramDoesItOnce) {
  const RunningDaemon daemon(kSidecar);
  const Ended ended =
      run_attach(folder.path(""), {SLUICE_ATTACH, "--once", "--json", "--socket", daemon.socket()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(object_of(ended.out).at("attached").as_bool());
  EXPECT_TRUE(eventually([&] { return !is_red(daemon); }))
      << "it has gone, and what it gave has not";
}

TEST_F(Attach, SoDoesTheSubcommand) {
  const RunningDaemon daemon(kSidecar);
  const Ended ended = run_attach(folder.path(""),
                                 {SLUICE_COMMAND, "attach", "--once", "--socket", daemon.socket()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "attached\n");
}

TEST_F(Attach, AndTheExampleInPython) {
  const RunningDaemon daemon(kSidecar);
  CommandRunner example({"/usr/bin/env", "SLUICE_SOCKET=" + daemon.socket(), "python3",
                         SLUICE_SOURCE "/examples/attach.py"},
                        folder.path(""));
  EXPECT_TRUE(eventually([&] { return !is_red(daemon); })) << example.err();
  EXPECT_TRUE(eventually([&] { return object_of(example.out()).contains("memory_limit"); }))
      << example.err();
}

TEST_F(Attach, FromAnotherNetworkNamespaceItIsRefusedUnlessAnywhereMayAttach) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a network namespace";
  const std::vector<std::string> command{"/usr/bin/env", "unshare", "-n",
                                         SLUICE_ATTACH,  "--once",  "--socket"};
  const auto attach_to = [&](const RunningDaemon& daemon) {
    std::vector<std::string> words = command;
    words.push_back(daemon.socket());
    return run_attach(folder.path(""), words);
  };
  const RunningDaemon strict(kSidecar);
  const Ended refused = attach_to(strict);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("another network namespace, so not in this daemon's pod"),
            std::string::npos)
      << refused.err;
  EXPECT_TRUE(is_red(strict));
  EXPECT_NE(strict.log().find("attach refused to user 0"), std::string::npos) << strict.log();
  std::string open_to_all = kSidecar;
  open_to_all.replace(open_to_all.find("source: attach"), 14,
                      "source: attach, attach_from: anywhere");
  const RunningDaemon loose(open_to_all);
  EXPECT_EQ(attach_to(loose).status, 0);
}

TEST_F(Attach, FromOtherMountCgroupAndPidNamespacesItWorks) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make namespaces";
  const RunningDaemon daemon(kSidecar);
  const Ended ended = run_attach(
      folder.path(""), {"/usr/bin/env", "unshare", "--mount", "--cgroup", "--pid", "--fork",
                        "--mount-proc", SLUICE_ATTACH, "--once", "--socket", daemon.socket()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(eventually([&] { return !is_red(daemon); }));
}

TEST_F(Attach, AsAnEntrypointItBecomesTheCommand) {
  const RunningDaemon daemon(kSidecar);
  const std::string end = folder.path("end");
  CommandRunner runner({SLUICE_ATTACH, "--socket", daemon.socket(), "--", "/bin/sh", "-c",
                        "echo $$; while [ ! -e " + end + " ]; do sleep 0.02; done; exit 7"},
                       folder.path(""));
  const std::string pid = std::to_string(runner.pid());
  EXPECT_TRUE(eventually([&] { return !is_red(daemon); }));
  write_file(end, "");
  const int status = runner.wait();
  EXPECT_EQ(runner.out(), pid + "\n");
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  const Ended absent = run_attach(folder.path(""), {SLUICE_ATTACH, "--", "/no/such/program"});
  EXPECT_EQ(absent.status, 127) << absent.err;
}

TEST_F(Attach, ADaemonThatWasRestartedIsGivenItAgain) {
  const std::string config = folder.path("sluice.yaml");
  const std::string socket = folder.path("s.sock");
  write_file(config, kSidecar);
  const auto start = [&] {
    return std::make_unique<CommandRunner>(
        std::vector<std::string>{SLUICE_COMMAND, "serve", "--config", config, "--socket", socket,
                                 "--listen", "off"},
        folder.path(""));
  };
  const auto is_green = [&] {
    auto connected = Client::connect(socket);
    if (connected.index() != 0) return false;
    const auto reply = std::get<Client>(connected).call("GET", "/v1/status");
    if (reply.index() != 0) return false;
    const json::object status = object_of(std::get<ClientReply>(reply).body);
    return status.at("sensors").at(0).at("verdict") == "green";
  };
  auto daemon = start();
  CommandRunner executor({SLUICE_ATTACH, "--socket", socket, "--", "/bin/sleep", "1000"},
                         folder.path(""));
  ASSERT_TRUE(eventually(is_green)) << daemon->err();
  kill(daemon->pid(), SIGKILL);
  daemon->wait();
  ASSERT_FALSE(is_green());
  daemon = start();
  EXPECT_TRUE(eventually(is_green)) << daemon->err();
}

TEST_F(Attach, AContainerThatEndsStopsAdmissionUntilTheNextOneHasAttached) {
  auto group = std::make_unique<RealCgroup>("memory");
  if (!group->problem().empty()) GTEST_SKIP() << group->problem();
  const RunningDaemon daemon(kSidecar);
  const auto attach_in = [&](const RealCgroup& container, const char* limit) {
    ASSERT_TRUE(container.write("memory.limit_in_bytes", limit));
    const Ended ended = attach_from(container, daemon, folder.path(""));
    EXPECT_EQ(object_of(ended.out).at("memory_limit"), std::stoll(limit)) << ended.err;
  };
  attach_in(*group, "268435456");
  ASSERT_EQ(daemon.ask("POST", "/v1/jobs", R"({"id":"a","cost":5})").status, 201);
  ASSERT_TRUE(eventually([&] { return !is_red(daemon); }));
  const std::int64_t size = window_of(daemon);

  group.reset();
  ASSERT_TRUE(eventually([&] { return is_red(daemon); }));
  const std::string why(sensor_of(daemon).at("failure").as_string());
  EXPECT_NE(why.find("has been removed: its container has ended"), std::string::npos) << why;
  EXPECT_EQ(sources_in(daemon), std::vector<std::string>{"none"});
  daemon.ask("POST", "/v1/jobs", R"({"id":"b","cost":5})");
  EXPECT_EQ(object_of(daemon.ask("GET", "/v1/jobs/b").body).at("state"), "pending");
  EXPECT_EQ(window_of(daemon), size);
  EXPECT_NE(daemon.log().find("sensor cgroup failed: the executor's cgroup"), std::string::npos);

  const RealCgroup next("memory");
  attach_in(next, "134217728");
  EXPECT_TRUE(eventually(
      [&] { return object_of(daemon.ask("GET", "/v1/jobs/b").body).at("state") == "running"; }));
  EXPECT_FALSE(is_red(daemon));
}

TEST_F(Attach, TheWindowBecomesTheExecutors) {
  RealCgroup group("cpu");
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  if (!group.write("cpu.cfs_quota_us", "50000")) GTEST_SKIP() << "no CPU quota can be set here";
  const RunningDaemon daemon(
      "window: {initial: 20/cpu, minimum: 1, maximum: 100/cpu, interval: 10ms}\n"
      "sensors: {cgroup: {source: attach}, memory: off, load: off, disk: off, pids: off}\n");
  const std::int64_t of_the_host = window_of(daemon);
  const Ended ended = attach_from(group, daemon, folder.path(""));
  EXPECT_EQ(object_of(ended.out).at("cpus"), 0.5) << ended.out << ended.err;
  EXPECT_EQ(window_of(daemon), 10) << "20 points for each CPU, and half a CPU";
  EXPECT_GT(of_the_host, 10);
}

TEST_F(Attach, AQuotaThatChangesInPlaceIsFollowed) {
  RealCgroup group("cpu");
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  if (!group.write("cpu.cfs_quota_us", "50000")) GTEST_SKIP() << "no CPU quota can be set here";
  const RunningDaemon daemon(
      "window: {initial: 20/cpu, minimum: 1, maximum: 100/cpu, interval: 10ms}\n"
      "sensors: {cgroup: {source: attach}, memory: off, load: off, disk: off, pids: off}\n");
  attach_from(group, daemon, folder.path(""));
  const auto maximum = [&] {
    const json::object status = object_of(daemon.ask("GET", "/v1/status").body);
    return status.at("window").at("maximum").to_number<std::int64_t>();
  };
  EXPECT_EQ(maximum(), 50);
  ASSERT_TRUE(group.write("cpu.cfs_quota_us", "20000"));
  EXPECT_TRUE(eventually([&] { return maximum() == 20; })) << daemon.log();
}

TEST_F(Attach, AnExecutorThatCannotBeGovernedIsRefusedEachTimeAndTheSensorSaysWhy) {
  RealCgroup group("cpu");
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  if (!group.write("cpu.cfs_quota_us", "50000")) GTEST_SKIP() << "no CPU quota can be set here";
  const RunningDaemon daemon(
      "window: {initial: 60, minimum: 60, maximum: 100/cpu, interval: 10ms}\n"
      "sensors: {cgroup: {source: attach}, memory: off, load: off, disk: off, pids: off}\n");
  for (int turn = 0; turn < 2; ++turn) {
    const Ended ended = attach_from(group, daemon, folder.path(""));
    EXPECT_EQ(ended.status, 2) << turn;
    EXPECT_NE(ended.err.find("window.minimum"), std::string::npos) << ended.err;
  }
  const std::int64_t looks = sensor_of(daemon).at("failures").to_number<std::int64_t>();
  ASSERT_TRUE(eventually([&] {
    return sensor_of(daemon).at("failures").to_number<std::int64_t>() > looks + 150;
  })) << "more than a second at one look in 10 ms";
  const std::string why(sensor_of(daemon).at("failure").as_string());
  EXPECT_NE(why.find("window.minimum"), std::string::npos) << why;
  EXPECT_EQ(attach_own(daemon).status, 200) << "another one that can be is taken";
}

TEST_F(Attach, WhoWaitedIsAdmittedByTheExecutorsMemoryAndNotByTheHosts) {
  RealCgroup group("memory");
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  ASSERT_TRUE(group.write("memory.limit_in_bytes", "536870912"));
  // Longer than the test lasts, so the window thread reads no limits meanwhile.
  const RunningDaemon daemon(
      "window: {initial: 20, minimum: 10, maximum: 40, interval: 60s}\n"
      "sensors: {cgroup: {source: attach}, memory: off, load: off, memory_pressure: off,\n"
      "          io_pressure: off, disk: off, pids: off, starting: off}\n");
  for (int job = 0; job < 5; ++job) {
    daemon.ask("POST", "/v1/jobs", R"({"cost":1,"memory":"300MiB"})");
  }
  attach_from(group, daemon, folder.path(""));
  const auto running = [&] {
    const json::object status = object_of(daemon.ask("GET", "/v1/status").body);
    return status.at("jobs").at("running").to_number<std::int64_t>();
  };
  ASSERT_TRUE(eventually([&] { return running() > 0; }));
  EXPECT_EQ(running(), 1);
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

TEST_F(Attach, OtherSourcesComeInTheirOrder) {
  std::filesystem::create_directory(folder.path("podinfo"));
  const std::string yaml =
      "window: {initial: 20, minimum: 10, maximum: 40, interval: 10ms}\n"
      "sensors: {cgroup: {source: auto, podinfo: " +
      folder.path("podinfo") +
      ", memory: 3GiB, cpus: 2},\n  memory: off, load: off, disk: off, pids: off}\n";
  const RunningDaemon daemon(yaml);
  EXPECT_EQ(sources_in(daemon), std::vector<std::string>{"config"});
  write_file(folder.path("podinfo/memory_limit"), "1073741824");
  EXPECT_EQ(attach_own(daemon).status, 200);
  ASSERT_EQ(sources_in(daemon).size(), 1u);
  EXPECT_EQ(sources_in(daemon).front().substr(0, 8), "attach:/") << "who attaches goes first";
  const RunningDaemon another(yaml);
  EXPECT_EQ(sources_in(another), std::vector<std::string>{"downward"});
}

}  // namespace
}  // namespace sluice::testing
