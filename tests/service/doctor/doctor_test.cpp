#include "service/doctor/doctor.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/socket_places.h"
#include "base/sqlite/sqlite.h"
#include "base/state_schema.h"

namespace sluice::testing {
namespace {
namespace fs = std::filesystem;

/// A host that meets every requirement.
HostSurvey good_host() {
  HostSurvey survey;
  OwnGroup group;
  group.name = "v2";
  group.folder = "/sys/fs/cgroup/ci";
  group.is_v2 = group.is_writable = true;
  survey.groups = {group};
  survey.accounts_memory = true;
  survey.measures_cpu = survey.measures_memory = survey.measures_io = true;
  survey.swap = Bytes{8ull << 30};
  survey.most_files = 524288;
  survey.sockets = {{"/run/sluice/sluice.sock", SocketPlace::State::served}};
  survey.state = StatePlace{"/var/lib/sluice", {}};
  return survey;
}

std::vector<Finding> not_good(const HostSurvey& survey) {
  std::vector<Finding> all = findings_of(survey);
  std::erase_if(all, [](const Finding& each) { return each.state == Finding::State::good; });
  return all;
}

TEST(Doctor, FindsNothingToDoOnAHostThatLacksNothing) {
  EXPECT_TRUE(not_good(good_host()).empty());
  EXPECT_EQ(findings_of(good_host()).size(), 11u);
}

struct Lack {
  const char* name;
  Finding::State state;
  const char* check;
  const char* found;  ///< A part of the message.
  std::function<void(HostSurvey&)> make;
};

class DoctorFinds : public ::testing::TestWithParam<Lack> {};

TEST_P(DoctorFinds, OneThingAndSaysWhatToDo) {
  HostSurvey survey = good_host();
  GetParam().make(survey);
  const std::vector<Finding> findings = not_good(survey);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].state, GetParam().state);
  EXPECT_EQ(findings[0].check, GetParam().check);
  EXPECT_NE(findings[0].found.find(GetParam().found), std::string::npos) << findings[0].found;
  EXPECT_FALSE(findings[0].advice.empty());
  EXPECT_EQ(is_broken(findings), GetParam().state == Finding::State::broken);
}

constexpr auto kLimited = Finding::State::limited;
constexpr auto kBroken = Finding::State::broken;

INSTANTIATE_TEST_SUITE_P(
    Lacks, DoctorFinds,
    ::testing::Values(
        Lack{"NoCgroups", kLimited, "cgroups", "none", [](auto& host) { host.groups.clear(); }},
        Lack{"CgroupUnreadable", kLimited, "cgroups", "memory: not mounted",
             [](auto& host) { host.group_problems = {"memory: not mounted"}; }},
        Lack{"NotDelegated", kLimited, "cgroups", "/sys/fs/cgroup/ci",
             [](auto& host) { host.groups[0].is_writable = false; }},
        Lack{"NoMemoryController", kLimited, "memory", "no memory controller",
             [](auto& host) { host.accounts_memory = false; }},
        Lack{"ControllerNotGiven", kLimited, "memory", "/sys/fs/cgroup/ci has no controller for io",
             [](auto& host) { host.groups[0].lacking = {"io"}; }},
        Lack{"NotAloneInItsGroup", kLimited, "memory", "other processes (3)",
             [](auto& host) { host.groups[0].other_processes = 3; }},
        Lack{"NoPressure", kLimited, "pressure", "cpu, io",
             [](auto& host) { host.measures_cpu = host.measures_io = false; }},
        Lack{"OomGroup", kLimited, "oom.group", "/sys/fs/cgroup/ci",
             [](auto& host) { host.oom_groups = {"/sys/fs/cgroup/ci"}; }},
        Lack{"FewDescriptors", kLimited, "descriptors", "1024 files",
             [](auto& host) { host.most_files = 1024; }},
        Lack{"HiddenProcesses", kLimited, "processes", "hidepid",
             [](auto& host) { host.sees_all_processes = false; }},
        Lack{"StaleSocket", kBroken, "daemon", "/run/sluice/sluice.sock",
             [](auto& host) { host.sockets[0].state = SocketPlace::State::stale; }},
        Lack{"NoSocket", kBroken, "daemon", "not a socket",
             [](auto& host) { host.sockets[0].state = SocketPlace::State::irregular; }},
        Lack{"SocketOfAnother", kLimited, "daemon", "is closed to this user",
             [](auto& host) { host.sockets[0].state = SocketPlace::State::denied; }},
        Lack{"NoHome", kLimited, "state", "HOME", [](auto& host) { host.state.reset(); }},
        Lack{"StateFileIsAFifo", kBroken, "state", "is a fifo",
             [](auto& host) { host.state->problem = "/var/lib/sluice/jobs.db is a fifo"; }},
        Lack{"JobsOfANewerSluice", kBroken, "state", "jobs.db was written by a newer version",
             [](auto& host) {
               host.state->newer = {{NewerFile::Kind::jobs, "/var/lib/sluice/jobs.db", 2, 1}};
             }},
        Lack{"HistoryOfANewerSluice", kBroken, "state", "(schema 4, this one knows 3)",
             [](auto& host) {
               host.state->newer = {{NewerFile::Kind::history, "/var/lib/sluice/history.db", 4, 3}};
             }},
        Lack{"RecordOfANewerSluice", kLimited, "state", "0000000001.srec was written by a newer",
             [](auto& host) {
               host.state->newer = {{NewerFile::Kind::record, "/record/0000000001.srec", 2, 1}};
             }},
        Lack{
            "HistoryWasMovedAside", kLimited, "state", "history.db.broken-17 was corrupt",
            [](auto& host) { host.state->moved_aside = {"/var/lib/sluice/history.db.broken-17"}; }},
        Lack{"StateIsClosed", kLimited, "state", "/var/lib/sluice: Permission denied",
             [](auto& host) { host.state->closed = "/var/lib/sluice: Permission denied"; }},
        Lack{"LeftBehind", kBroken, "left behind", "2 groups of exited governors: /a, /b",
             [](auto& host) {
               host.left_behind = {"/a", "/b"};
             }},
        Lack{"Unreadable", kLimited, "host", "/proc/meminfo",
             [](auto& host) { host.unreadable = {"/proc/meminfo: Permission denied"}; }}),
    [](const auto& info) { return info.param.name; });

TEST(Doctor, DoesNotMindOtherProcessesWhereTheGroupGivesControllersAlready) {
  HostSurvey survey = good_host();
  survey.groups[0].other_processes = 3;
  survey.groups[0].switches_on = true;
  EXPECT_TRUE(not_good(survey).empty());
  survey.groups[0].switches_on = false;
  survey.groups[0].is_root = true;
  survey.accounts_memory = false;
  EXPECT_TRUE(not_good(survey).empty());
}

TEST(Doctor, NamesTheGroupToJoinOfASocketThatIsClosed) {
  HostSurvey survey = good_host();
  survey.sockets[0].state = SocketPlace::State::denied;
  survey.sockets[0].group = "ci";
  EXPECT_EQ(not_good(survey).at(0).advice,
            "join the socket's group ci: sudo usermod -aG ci \"$USER\", then log in again");
  survey.sockets[0].group = "";
  EXPECT_NE(not_good(survey).at(0).advice.find("service.group"), std::string::npos);
}

TEST(Doctor, SaysWhatLimits) {
  HostSurvey survey = good_host();
  survey.limits = {{"memory 1.5 GiB", "/sys/fs/cgroup/ci/memory.max"}, {"2 CPUs", "a quota"}};
  const std::vector<Finding> findings = findings_of(survey);
  const auto limits = std::find_if(findings.begin(), findings.end(),
                                   [](const Finding& each) { return each.check == "limits"; });
  ASSERT_NE(limits, findings.end());
  EXPECT_EQ(limits->found, "memory 1.5 GiB by /sys/fs/cgroup/ci/memory.max, 2 CPUs by a quota");
}

/// On this host, with a folder of its own for sockets and state.
class Survey : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "sluice-doctor-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A socket that its creator listens on or has closed.
  int make_socket(const std::string& path, int backlog) {
    const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = unix_address(path);
    EXPECT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
    if (backlog > 0) {
      EXPECT_EQ(listen(made, backlog), 0);
    }
    return made;
  }

  SocketPlace::State state_of(const std::string& path) {
    const HostSurvey survey = survey_host(path, folder_);
    EXPECT_EQ(survey.sockets.size(), 1u);
    return survey.sockets.at(0).state;
  }

  fs::path folder_;
};

TEST_F(Survey, TellsAServedSocketFromAStaleOneAndFromNone) {
  const std::string path = folder_ / "sluice.sock";
  EXPECT_EQ(state_of(path), SocketPlace::State::absent);
  const int listening = make_socket(path, 1);
  EXPECT_EQ(state_of(path), SocketPlace::State::served);
  close(listening);
  EXPECT_EQ(state_of(path), SocketPlace::State::stale);
  fs::remove(path);
  std::ofstream(path + ".lock");
  EXPECT_EQ(state_of(path), SocketPlace::State::stale) << "clients wait for who left the lock";
  fs::create_directory(path);
  EXPECT_EQ(state_of(path), SocketPlace::State::irregular);
}

TEST_F(Survey, FindsWhatIsNoFileInTheStateFolderAndMakesNothing) {
  const fs::path state = folder_ / "state";
  const auto problem = [&] { return survey_host(folder_ / "none.sock", state).state->problem; };
  EXPECT_EQ(problem(), "");
  EXPECT_FALSE(fs::exists(state));
  fs::create_directory(state);
  EXPECT_EQ(problem(), "");
  ASSERT_EQ(mkfifo((state / "jobs.db").c_str(), 0600), 0);
  EXPECT_NE(problem().find("jobs.db is a fifo"), std::string::npos) << problem();
  fs::remove_all(state);
  fs::create_symlink("/etc/passwd", state);
  EXPECT_NE(problem().find("is not a folder"), std::string::npos) << problem();
}

/// The header of an SQLite database with this `user_version`.
std::string database_of(std::uint32_t version) {
  std::string header("SQLite format 3\0", 16);
  header.resize(100);
  header[63] = static_cast<char>(version);
  return header;
}

TEST_F(Survey, FindsFilesOfANewerSluiceAndChangesNothing) {
  const fs::path state = folder_ / "state";
  fs::create_directories(state / "record");
  const auto newer = [&] {
    std::vector<std::string> found;
    const auto survey = survey_host(folder_ / "none.sock", state);
    for (const NewerFile& each : survey.state->newer) {
      found.push_back(fs::path(each.path).filename().string() + " " + std::to_string(each.version));
    }
    return found;
  };
  std::ofstream(state / "jobs.db") << database_of(kJobsSchema);
  std::ofstream(state / "history.db") << database_of(kHistorySchema);
  std::ofstream(state / "record" / "0000000001.srec") << kRecordMagic << std::string("\1\0\0\0", 4);
  EXPECT_EQ(newer(), std::vector<std::string>());
  std::ofstream(state / "jobs.db") << database_of(kJobsSchema + 1);
  std::ofstream(state / "history.db") << database_of(kHistorySchema + 1);
  std::ofstream(state / "record" / "0000000002.srec") << kRecordMagic << std::string("\7\0\0\0", 4);
  EXPECT_EQ(newer(), (std::vector<std::string>{"jobs.db " + std::to_string(kJobsSchema + 1),
                                               "history.db " + std::to_string(kHistorySchema + 1),
                                               "0000000002.srec 7"}));
  EXPECT_EQ(std::distance(fs::directory_iterator(state), fs::directory_iterator()), 3);
  std::ofstream(state / "history.db") << "no database";
  EXPECT_EQ(newer().size(), 2U);
}

TEST_F(Survey, SeesANewerVersionThatIsOnlyInTheLogAndLeavesTheFilesAlone) {
  const fs::path serving = folder_ / "serving", killed = folder_ / "killed";
  fs::create_directory(serving);
  SqliteDatabase database(serving / "history.db", 1000);
  database.run("PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)");
  database.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = 99");
  // As another process has left them: SQLite shares what it knows of a file within one process.
  fs::copy(serving, killed);
  const auto contents = [&] {
    std::string all;
    for (const char* end : {"", "-shm", "-wal"}) {
      std::ifstream file(killed / ("history.db" + std::string(end)));
      all.append(std::istreambuf_iterator<char>(file), {}) += '\n';
    }
    return all;
  };
  const std::string before = contents();
  const auto newer = survey_host(folder_ / "none.sock", killed).state->newer;
  ASSERT_EQ(newer.size(), 1U);
  EXPECT_EQ(newer[0].version, 99U);
  EXPECT_EQ(contents(), before);
}

TEST_F(Survey, FindsDatabasesThatWereMovedAside) {
  for (const char* name : {"history.db", "history.db.broken-17", "history.db.broken-17-wal"}) {
    std::ofstream(folder_ / name) << "x";
  }
  EXPECT_EQ(survey_host(folder_ / "none.sock", folder_).state->moved_aside,
            std::vector<std::string>{folder_ / "history.db.broken-17"});
}

TEST_F(Survey, NamesNoGroupToJoinForASocketOfRootsGroup) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  constexpr uid_t nobody = 65534;
  const std::string path = folder_ / "s.sock";
  const int listening = make_socket(path, 1);
  chmod(folder_.c_str(), 0755);
  chmod(path.c_str(), 0060);  // Of its owner, who is refused whatever groups this process has.
  const auto group_for_nobody = [&](gid_t group) {
    EXPECT_EQ(chown(path.c_str(), nobody, group), 0);
    EXPECT_EQ(seteuid(nobody), 0);
    const SocketPlace place = survey_host(path, folder_).sockets.at(0);
    EXPECT_EQ(seteuid(0), 0);
    EXPECT_EQ(place.state, SocketPlace::State::denied);
    return place.group;
  };
  EXPECT_EQ(group_for_nobody(54321), "54321");
  EXPECT_EQ(group_for_nobody(0), "");
  close(listening);
}

TEST_F(Survey, FindsAStateFolderThatThisUserMayNotWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  constexpr uid_t nobody = 65534;
  const auto closed_for_nobody = [&](const fs::path& state) {
    EXPECT_EQ(seteuid(nobody), 0);
    const auto place = survey_host(folder_ / "none.sock", state).state;
    EXPECT_EQ(seteuid(0), 0);
    return place->closed;
  };
  const fs::path state = folder_ / "state";
  chmod(folder_.c_str(), 0755);
  EXPECT_EQ(closed_for_nobody(state / "below"), folder_.string() + ": Permission denied")
      << "where it would be made";
  fs::create_directory(state);
  EXPECT_EQ(closed_for_nobody(state), state.string() + ": Permission denied");
  ASSERT_EQ(chown(state.c_str(), nobody, nobody), 0);
  EXPECT_EQ(closed_for_nobody(state), "");
  EXPECT_EQ(closed_for_nobody(state / "below"), "");
  std::ofstream(state / "history.db");
  EXPECT_EQ(closed_for_nobody(state), (state / "history.db").string() + ": Permission denied");
}

}  // namespace
}  // namespace sluice::testing
