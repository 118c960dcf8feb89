// Real clients of the jobserver: GNU make, ninja, cargo and gcc's link-time optimiser.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "command_runner.h"
#include "contents.h"
#include "costmodel/store/history_store.h"
#include "fixture.h"
#include "has.h"
#include "in_ci.h"

namespace sluice::jobserver {
namespace {
using namespace sluice::testing;
namespace fs = std::filesystem;

const char* const kWindow =
    "window: {initial: 200, minimum: 200, maximum: 200}\n"
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,\n"
    "          cgroup: off, disk: off, pids: off, starting: off}\n";

/// Marks its start and its end, and between them waits until $(TOGETHER) jobs have begun: with
/// fewer jobs at once it never ends. The three jobs of `first` provide history: a job observed for
/// less than 200 ms does not count, and a busy machine observes a process late.
const char* const kMakefile = R"(
.SUFFIXES:
JOBS := 1 2 3 4 5 6
all: $(JOBS:%=job%)
first: first1 first2 first3
first1 first2 first3:
	@sleep 0.6
job%: first
	@echo + >>$(LOG); until [ `grep -c + $(LOG)` -ge $(TOGETHER) ]; do sleep 0.01; done; \
	sleep 0.05; echo - >>$(LOG)
sub%: first
	+@$(MAKE) -s -f $(MAKEFILE) LOG=$(LOG) TOGETHER=$(TOGETHER) all
both: sub1 sub2
hang%: first
	@echo $$$$ >>$(LOG); until [ `grep -c . $(LOG)` -ge 3 ]; do sleep 0.01; done; \
	[ $@ != hang1 ] || kill -9 $$PPID; exec sleep 1000
hang: hang1 hang2 hang3
)";

/// Eight jobs, one alone, eight jobs. Each of the eight waits until all of them have begun, but not
/// for ever; their marks show how many ran at once. The job alone lasts longer than unneeded tokens
/// stay idle, and can be held until a file exists.
const char* const kNinjaFile = R"(
rule job
  command = echo + >>$log; n=0; until [ `grep -c + $log` -ge 8 -o $$n -ge 500 ]; do n=$$((n+1)); sleep 0.01; done; sleep 0.05; echo - >>$log
rule alone
  command = sleep 2.7; echo alone >alone; n=0; until [ -e go -o $$n -ge 3000 ]; do n=$$((n+1)); sleep 0.01; done
)";

std::string ninja_file() {
  std::string text = kNinjaFile;
  for (const std::string wave : {"a", "b"}) {
    text += "build " + wave + ": phony";
    for (int job = 1; job <= 8; ++job) text += " " + wave + std::to_string(job);
    text += "\n";
    for (int job = 1; job <= 8; ++job) {
      text += "build " + wave + std::to_string(job) + ": job" + (wave == "b" ? " | between" : "") +
              "\n  log = log_" + wave + "\n";
    }
  }
  return text + "build between: alone | a\nbuild lone: alone\n";
}

/// The path to which ./test unpacks it; other versions may not know the jobserver.
const char* const kNinja = SLUICE_SOURCE "/build/tools/ninja/bin/ninja";

/// The maximum number of concurrent jobs, from the marks of their starts and ends.
int most_at_once(const std::string& log) {
  int now = 0, most = 0;
  for (const char mark : contents_of(log)) {
    if (mark == '+') most = std::max(most, ++now);
    if (mark == '-') --now;
  }
  return most;
}

bool there_is(const std::string& program) {
  return system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

class JobserverClients : public ::testing::Test {
 protected:
  JobserverClients() {
    write_file(folder.path("sluice.yaml"), kWindow);
    write_file(folder.path("Makefile"), kMakefile);
    for (const char* name : {"MAKEFLAGS", "MFLAGS", "CARGO_MAKEFLAGS", "MAKELEVEL"}) unsetenv(name);
  }

  std::vector<std::string> embedded(std::vector<std::string> options,
                                    const std::vector<std::string>& command) const {
    std::vector<std::string> all{SLUICE_COMMAND, "jobserver",
                                 "--config",     folder.path("sluice.yaml"),
                                 "--state-dir",  folder.path("state")};
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("--");
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }
  std::vector<std::string> make(const std::string& goal, const std::string& together) const {
    const std::string file = folder.path("Makefile");
    return {"make", "-s", "-f", file, "MAKEFILE=" + file, "LOG=" + log(), "TOGETHER=" + together,
            goal};
  }
  std::string log() const { return folder.path("log"); }
  /// Makes clients with the key "k" warm; learning from real runs takes a machine with time.
  void teach() const {
    const auto store = open_history_store(folder.path("state"), [](const std::string&) {});
    Sample sample;
    sample.key = "jobserver:k";
    sample.program = "sleep";
    sample.busy_cores = 0.1;
    sample.peak_memory = Bytes{1 << 20};
    sample.wall = std::chrono::seconds(1);
    sample.seen_by = SeenBy::governor;
    for (int run = 0; run < 3; ++run) store->add(sample);
  }

  TemporaryFolder folder;
};

TEST_F(JobserverClients, MakeRunsAsManyJobsAsItIsAllowed) {
  CommandRunner command(embedded({"--max", "3", "-v"}, make("all", "3")), folder.path(""));
  EXPECT_EQ(command.wait(), 0) << command.err();
  EXPECT_EQ(most_at_once(log()), 3);
  EXPECT_TRUE(has(command.err(), "none missing")) << command.err();
}

TEST_F(JobserverClients, RecursiveMakesShareTheTokens) {
  CommandRunner command(embedded({"--max", "4"}, make("both", "4")), folder.path(""));
  EXPECT_EQ(command.wait(), 0) << command.err();
  EXPECT_EQ(most_at_once(log()), 4);
}

TEST_F(JobserverClients, AWarmOneNeedsNoFirstJobToLearnFrom) {
  CommandRunner cold(embedded({"--key", "k"}, make("first", "1")), folder.path(""));
  ASSERT_EQ(cold.wait(), 0) << cold.err();
  // `-o first` makes `first` count as done: every job waits for the others at once.
  auto warm_make = make("all", "6");
  warm_make.insert(warm_make.begin() + 1, {"-o", "first"});
  CommandRunner warm(embedded({"--key", "k"}, warm_make), folder.path(""));
  EXPECT_EQ(warm.wait(), 0) << warm.err();
  EXPECT_EQ(most_at_once(log()), 6);
}

TEST_F(JobserverClients, AWarmOneFindsItsTokensWhenItStarts) {
  const std::vector<std::string> options{"--key", "k", "--style", "fifo", "--max", "8"};
  teach();
  const std::string looks = "dd if=${MAKEFLAGS#*fifo:} iflag=nonblock bs=64 count=1 status=none";
  CommandRunner warm(embedded(options, {"sh", "-c", looks}), folder.path(""));
  warm.wait();
  EXPECT_EQ(warm.out(), "+++++++") << warm.err();
}

TEST_F(JobserverClients, ExitStatusOutputAndUsersFlagsPassThrough) {
  write_file(folder.path("Makefile"),
             "all:\n\t@echo to out; echo to err >&2; echo $(MAKEFLAGS)\n"
             "\t@exit 3\nother:\n\t@echo still\n");
  setenv("MAKEFLAGS", "k", 1);
  CommandRunner command(embedded({}, {"make", "-f", folder.path("Makefile"), "all", "other"}),
                        folder.path(""));
  const int status = command.wait();
  unsetenv("MAKEFLAGS");
  EXPECT_EQ(WEXITSTATUS(status), 2);
  // In any order: both targets may run at once.
  EXPECT_TRUE(has(command.out(), "to out\n")) << command.out();
  EXPECT_TRUE(has("\n" + command.out(), "\nk ")) << command.out();
  EXPECT_TRUE(has(command.out(), "still")) << "-k is kept: " << command.out();
  EXPECT_TRUE(has(command.err(), "to err"));
}

TEST_F(JobserverClients, AnOptionThatMakesMakeDeafIsSaid) {
  CommandRunner command(embedded({}, {"make", "-j4", "-f", folder.path("Makefile"), "first"}),
                        folder.path(""));
  EXPECT_EQ(command.wait(), 0);
  EXPECT_TRUE(has(command.err(), "sluice jobserver: -j4 makes make ignore")) << command.err();
}

TEST_F(JobserverClients, AnOlderMakeGetsNoFifoWhateverCallsIt) {
  const auto write_script = [&](const std::string& name, const std::string& version,
                                const std::string& rest) {
    write_file(folder.path(name),
               "#!/bin/sh\n[ \"$1\" != --version ] || { echo asked >>$0.log; echo " + version +
                   "; exit; }\n" + rest);
    chmod(folder.path(name).c_str(), 0755);
  };
  write_script("make", "GNU Make 4.3",
               "case \"$MAKEFLAGS\" in *fifo:*) exit 2;; *--jobserver-auth=*) echo told;; esac\n");
  const std::string path = getenv("PATH");
  setenv("PATH", (folder.path("") + ":" + path).c_str(), 1);
  for (const char* name : {"ninja", "cargo", "build.sh"}) {
    // A build.rs may pass on what cargo has got.
    write_script(name, "1.95.0", "make && MAKEFLAGS=\"$CARGO_MAKEFLAGS\" make\n");
    CommandRunner command(embedded({}, {folder.path(name)}), folder.path(""));
    EXPECT_EQ(command.wait(), 0) << name;
    EXPECT_EQ(command.out(), "told\ntold\n") << name;
    const std::string asked = name == std::string("build.sh") ? "" : "asked\n";
    EXPECT_EQ(contents_of(folder.path(name) + ".log"), asked) << name << ", at most once";
    EXPECT_EQ(has(command.err(), "takes no tokens and uses its own number of jobs; it takes them"),
              name == std::string("ninja"))
        << command.err();
  }
  setenv("PATH", path.c_str(), 1);
}

TEST_F(JobserverClients, TellsAllAsJson) {
  CommandRunner command(embedded({"--json"}, make("first", "1")), folder.path(""));
  EXPECT_EQ(command.wait(), 0);
  EXPECT_TRUE(has(command.err(), "{\"event\":\"open\",")) << command.err();
  EXPECT_TRUE(has(command.err(), "\"lost\":0")) << command.err();
}

TEST_F(JobserverClients, WhatCannotBeRunIsSaid) {
  CommandRunner command(embedded({}, {"/nonexistent/make"}), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(command.wait()), 127);
  EXPECT_TRUE(has(command.err(), "/nonexistent/make")) << command.err();
}

/// Whether a process has ended, even if not yet reaped.
bool gone(const std::string& process) {
  const std::string text = contents_of("/proc/" + process + "/stat");
  return text.empty() || has(text, ") Z ");
}

TEST_F(JobserverClients, EveryTokenOfAKilledMakeComesBackAndItsJobsEnd) {
  RunningDaemon daemon{kWindow};
  std::vector<std::string> line{SLUICE_COMMAND, "jobserver", "--socket", daemon.socket(), "--"};
  for (const std::string& word : make("hang", "3")) line.push_back(word);
  CommandRunner command(line, folder.path(""));
  const int status = command.wait();
  ASSERT_TRUE(WIFSIGNALED(status)) << command.err();
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_TRUE(has(command.err(), "make: killed by signal 9 (Killed): ")) << command.err();
  EXPECT_TRUE(has(command.err(), "written off; permits returned")) << command.err();
  EXPECT_TRUE(eventually([&] { return has(daemon.ask("GET", "/v1/status").body, "\"usage\":0"); }))
      << daemon.ask("GET", "/v1/status").body;
  EXPECT_EQ(daemon.ask("GET", "/v1/jobservers").body, "{\"jobservers\":[]}");
  EXPECT_TRUE(has(daemon.log(), "tokens were never returned")) << daemon.log();
  std::ifstream pids(log());
  int jobs = 0;
  for (std::string pid; std::getline(pids, pid); ++jobs) {
    EXPECT_TRUE(eventually([&] { return gone(pid); })) << pid;
  }
  EXPECT_EQ(jobs, 3);
}

TEST_F(JobserverClients, ADaemonsLogNamesTheirJobs) {
  RunningDaemon daemon{kWindow};
  CommandRunner command({SLUICE_COMMAND, "jobserver", "--socket", daemon.socket(), "--style",
                         "fifo", "--", "sh", "-c",
                         "fifo=${MAKEFLAGS##*fifo:}; echo made up >${fifo%% *}; "
                         "until [ -e " +
                             folder.path("seen") + " ]; do sleep 0.01; done"},
                        folder.path(""));
  EXPECT_TRUE(eventually([&] { return has(daemon.log(), "returned more tokens than it took"); }));
  EXPECT_TRUE(has(daemon.log(), "\njobserver 1 (")) << daemon.log();
  write_file(folder.path("seen"), "");
  EXPECT_EQ(command.wait(), 0) << command.err();
}

TEST_F(JobserverClients, ADaemonsWindowIsSharedAndShown) {
  RunningDaemon daemon{kWindow};
  std::vector<std::string> line{SLUICE_COMMAND,  "jobserver", "--socket",
                                daemon.socket(), "-v",        "--"};
  for (const std::string& word : make("both", "4")) line.push_back(word);
  CommandRunner command(line, folder.path(""));
  EXPECT_TRUE(eventually(
      [&] { return has(daemon.ask("GET", "/v1/jobservers").body, "\"auth\":\"fifo:/"); }));
  EXPECT_EQ(command.wait(), 0) << command.err();
  EXPECT_GE(most_at_once(log()), 4);
  EXPECT_TRUE(has(command.err(), "none missing")) << command.err();
  EXPECT_TRUE(has(daemon.ask("GET", "/metrics").body, "sluice_jobserver_tokens_lost_total 0"));
}

class NinjaClient : public JobserverClients {
 protected:
  void SetUp() override {
    if (access(kNinja, X_OK) == 0) return;
    if (in_ci()) FAIL() << kNinja << " is not there, which ./test unpacks";
    GTEST_SKIP() << "SKIPPED: no ninja 1.13; ./test unpacks it";
  }
  NinjaClient() { write_file(folder.path("build.ninja"), ninja_file()); }

  std::vector<std::string> ninja(const std::string& goal) const {
    return {kNinja, "-C", folder.path(""), goal};
  }
};

TEST_F(NinjaClient, RunsAsManyJobsAsItIsAllowedAlsoAfterOneThatRanAlone) {
  // Also where there is an older make, which these jobs do not call.
  const std::vector<std::string> options{"--key", "k", "--max", "8", "--style", "fifo"};
  teach();
  write_file(folder.path("go"), "");
  CommandRunner command(embedded(options, ninja("b")), folder.path(""));
  EXPECT_EQ(command.wait(), 0) << command.out() << command.err();
  EXPECT_TRUE(has(command.out() + command.err(), "Jobserver mode detected")) << command.out();
  EXPECT_GE(most_at_once(folder.path("log_a")), 7);
  EXPECT_LE(most_at_once(folder.path("log_a")), 8);
  EXPECT_GE(most_at_once(folder.path("log_b")), 7);
  EXPECT_LE(most_at_once(folder.path("log_b")), 8);
}

TEST_F(NinjaClient, TokensThatItDoesNotUseGoToAJobThatNeedsTheirRoom) {
  teach();
  RunningDaemon daemon{kWindow + ("state_dir: " + folder.path("state") + "\n")};
  std::vector<std::string> line{SLUICE_COMMAND,  "jobserver", "--key", "k", "--socket",
                                daemon.socket(), "--style",   "fifo",  "--"};
  for (const std::string& word : ninja("lone")) line.push_back(word);
  CommandRunner command(line, folder.path(""));
  // Longer than unneeded tokens stay idle: no other job wants their room.
  ASSERT_TRUE(eventually([&] { return !contents_of(folder.path("alone")).empty(); }));
  ASSERT_FALSE(has(daemon.ask("GET", "/v1/jobservers").body, "\"idle\":0"))
      << daemon.ask("GET", "/v1/jobservers").body;
  CommandRunner other({SLUICE_COMMAND, "run", "--socket", daemon.socket(), "--cost", "180", "true"},
                      folder.path(""));
  EXPECT_EQ(other.wait(), 0) << other.err();
  EXPECT_FALSE(gone(std::to_string(command.pid())));
  write_file(folder.path("go"), "");
  EXPECT_EQ(command.wait(), 0) << command.err();
}

TEST_F(JobserverClients, CargoBuildsCratesAtOnce) {
  if (!there_is("cargo") || !there_is("rustc"))
    GTEST_SKIP() << "no cargo; to run it: apt-get install cargo";
  std::string members;
  for (const std::string name : {"a", "b", "c"}) {
    members += "\"" + name + "\",";
    fs::create_directories(folder.path(name + "/src"));
    write_file(folder.path(name + "/src/lib.rs"), "pub fn f() -> u32 { 1 }\n");
    write_file(folder.path(name + "/Cargo.toml"),
               "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\nedition = \"2018\"\n");
  }
  write_file(folder.path("Cargo.toml"), "[workspace]\nmembers = [" + members + "]\n");
  // The first build lasts long enough to be observed; in the second every rustc waits for the two
  // others.
  write_file(folder.path("rustc.sh"),
             "#!/bin/sh\ncase \"$*\" in\n*--crate-name\\ [abc]\\ *)\n  if [ -e " +
                 folder.path("together") + " ]; then echo + >>" + log() +
                 "\n  until [ `grep -c + " + log() +
                 "` -ge 3 ]; do sleep 0.01; done; else sleep 1; fi;;\nesac\nexec \"$@\"\n");
  chmod(folder.path("rustc.sh").c_str(), 0755);
  setenv("RUSTC_WRAPPER", folder.path("rustc.sh").c_str(), 1);
  const std::vector<std::string> cargo{"cargo", "build", "--offline", "--manifest-path",
                                       folder.path("Cargo.toml")};
  CommandRunner cold(embedded({"--key", "k"}, cargo), folder.path(""));
  ASSERT_EQ(cold.wait(), 0) << cold.err();
  fs::remove_all(folder.path("target"));
  write_file(folder.path("together"), "");
  CommandRunner warm(embedded({"--key", "k", "-v"}, cargo), folder.path(""));
  EXPECT_EQ(warm.wait(), 0) << warm.err();
  unsetenv("RUSTC_WRAPPER");
  EXPECT_EQ(contents_of(log()), "+\n+\n+\n");
  EXPECT_TRUE(has(warm.err(), "none missing")) << warm.err();
}

TEST_F(JobserverClients, LinkTimeOptimisationTakesTokens) {
  if (!there_is("gcc")) GTEST_SKIP() << "no gcc";
  std::string sources;
  for (const std::string name : {"a", "b", "c", "d"}) {
    const std::string file = folder.path(name + ".c");
    write_file(file, "int " + name + "(int x) { return x * 3 + 1; }\n");
    sources += " " + file;
  }
  write_file(folder.path("main.c"),
             "int a(int), b(int), c(int), d(int);\n"
             "int main(int n, char** v) { (void)v; return a(b(c(d(n)))) == 0; }\n");
  // The linker calls $MAKE for the parts, which make itself would set to its own name.
  write_file(folder.path("make.sh"), "#!/bin/sh\necho \"$MAKEFLAGS\" >" + folder.path("makeflags") +
                                         "\nexec make \"$@\"\n");
  write_file(folder.path("link.sh"), "#!/bin/sh\nexport MAKE=" + folder.path("make.sh") +
                                         "\nexec gcc -O1 -flto=jobserver -flto-partition=max -o " +
                                         folder.path("program") + " " + folder.path("main.c") +
                                         sources + "\n");
  for (const char* script : {"make.sh", "link.sh"}) chmod(folder.path(script).c_str(), 0755);
  write_file(folder.path("Makefile"), "all:\n\t+@" + folder.path("link.sh") + "\n");
  CommandRunner command(
      embedded({"--style", "pipe", "--json"}, {"make", "-s", "-f", folder.path("Makefile")}),
      folder.path(""));
  EXPECT_EQ(command.wait(), 0) << command.err();
  EXPECT_TRUE(has(contents_of(folder.path("makeflags")), "--jobserver-auth=")) << command.err();
  EXPECT_FALSE(has(command.err(), "jobserver is not available")) << command.err();
  EXPECT_TRUE(fs::exists(folder.path("program")));
}

}  // namespace
}  // namespace sluice::jobserver
