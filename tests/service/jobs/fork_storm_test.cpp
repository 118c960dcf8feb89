// Jobs that start processes faster than anybody can read them, and jobs that become another
// program.

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/process_table.h"
#include "fixture.h"
#include "repetitions.h"
#include "service/jobs/lease_trees.h"
#include "service/jobserver/served_runs.h"
#include "service/jobserver/session.h"
#include "service/jobserver/token_runs.h"

namespace sluice::testing {
namespace {
using namespace std::chrono_literals;

Duration time_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

Duration cpu_of_this_thread() { return time_of(CLOCK_THREAD_CPUTIME_ID); }

void burn(Duration cpu) {
  const Duration end = time_of(CLOCK_PROCESS_CPUTIME_ID) + cpu;
  while (time_of(CLOCK_PROCESS_CPUTIME_ID) < end) {
  }
}

/// A child of this process that does something and then stays until the end, with its processes.
class Child {
 public:
  template <class Work>
  explicit Child(const Work& work) {
    int done[2];
    if (pipe(done) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      setpgid(0, 0);
      ::close(done[0]);
      work();
      ::close(done[1]);
      while (true) pause();
    }
    setpgid(pid_, pid_);
    ::close(done[1]);
    done_ = done[0];
  }
  ~Child() {
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    ::close(done_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  /// Only for a child whose own children have ended.
  bool is_done() const {
    pollfd ready{done_, POLLIN, 0};
    return poll(&ready, 1, 0) == 1;
  }

 private:
  pid_t pid_ = -1;
  int done_ = -1;
};

void fork_and_wait(int times, Duration cpu) {
  for (int i = 0; i < times; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      burn(cpu);
      _exit(0);
    }
    waitpid(pid, nullptr, 0);
  }
}

std::size_t size_of_group(pid_t leader) {
  return static_cast<std::size_t>(
      std::ranges::count(read_processes(), leader, &ProcessFacts::group));
}

void fork_and_stay(std::size_t processes) {
  for (std::size_t i = 0; i < processes; ++i) {
    if (fork() == 0) {
      while (true) pause();
    }
  }
}

TEST(ForkStorm, IsChargedToItsJobOnceAndToNoOther) {
  const Child idle([] {});
  const Child storm([] {
    fork_and_wait(1500, 0s);
    fork_and_wait(30, 20ms);
  });
  LeaseTrees trees({});
  const TimePoint began = Clock::now();
  const Child* const children[] = {&storm, &idle};
  for (std::uint64_t job = 1; job <= 2; ++job) {
    trees.begin(JobId{job}, children[job - 1]->pid(), began);
    trees.admitted(JobId{job}, began);
  }
  const auto before = read_process(storm.pid());
  ASSERT_TRUE(before);
  ASSERT_TRUE(eventually([&] {
    trees.cpu(JobId{1}, Clock::now());
    return storm.is_done();
  }));
  const auto after = read_process(storm.pid());
  ASSERT_TRUE(after);
  TimePoint now = Clock::now();
  Duration charged{0};
  ASSERT_TRUE(eventually([&] {
    charged = trees.cpu(JobId{1}, now = Clock::now())->cpu;
    return charged >= after->cpu - before->cpu - 50ms;
  }));
  EXPECT_LE(charged, after->cpu + 50ms) << "each process once";
  EXPECT_LE(trees.cpu(JobId{2}, now)->cpu, 20ms);
}

/// The part of a CPU that this thread uses while it polls as often as it can: for a second, or the
/// time of sixty readings, so that three that are a twentieth each fall into it.
template <class Poll>
double part_of_a_cpu(const Poll& poll_now) {
  const TimePoint first = Clock::now();
  poll_now(first);
  const TimePoint began = Clock::now();
  const Duration span = std::max<Duration>(1s, 60 * (began - first));
  const Duration cpu = cpu_of_this_thread();
  eventually([&] {
    poll_now(Clock::now());
    return Clock::now() - began >= span;
  });
  const Duration used = cpu_of_this_thread() - cpu;
  return std::chrono::duration<double>(used) / std::chrono::duration<double>(Clock::now() - began);
}

constexpr std::size_t kManyProcesses = repetitions(std::size_t{2000});
/// A twentieth, and what the polling itself needs.
constexpr double kMostOfACpu = 0.1;

TEST(ForkStorm, CostsTheDaemonABoundedPartOfACpu) {
  const Child storm([] { fork_and_stay(kManyProcesses); });
  ASSERT_TRUE(eventually([&] { return size_of_group(storm.pid()) >= kManyProcesses; }));
  LeaseTrees trees({});
  trees.begin(JobId{1}, storm.pid(), Clock::now());
  trees.admitted(JobId{1}, Clock::now());
  EXPECT_LE(part_of_a_cpu([&](TimePoint now) { trees.cpu(JobId{1}, now); }), kMostOfACpu);
}

TEST(ForkStorm, CostsAJobserverABoundedPartOfACpu) {
  const Child storm([] { fork_and_stay(kManyProcesses); });
  ASSERT_TRUE(eventually([&] { return size_of_group(storm.pid()) >= kManyProcesses; }));
  jobserver::ServedRuns runs(nullptr, [](const std::string&) {}, {});
  jobserver::Sessions nobody;
  EXPECT_LE(part_of_a_cpu([&](TimePoint now) { runs.sample(nobody, Law::knee, now); }),
            kMostOfACpu);
}

TEST(LeaseCpu, AJobThatBecomesAnotherProgramHalfwayIsTheSameJob) {
  const Child job([] {
    burn(200ms);
    execl("/bin/sh", "sh", "-c",
          "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exec sleep 600", nullptr);
  });
  LeaseTrees trees({});
  const TimePoint began = Clock::now();
  trees.begin(JobId{1}, job.pid(), began);
  trees.admitted(JobId{1}, began);
  const auto before = read_process(job.pid());
  ASSERT_TRUE(before);
  ASSERT_TRUE(eventually([&] {
    trees.cpu(JobId{1}, Clock::now());
    const auto processes =
        jobserver::read_client({read_process(job.pid()).value_or(ProcessFacts{})});
    return !processes.empty() && processes[0].name == "sleep";
  }));
  const auto whole = read_process(job.pid());
  ASSERT_TRUE(whole);
  const Duration used = whole->cpu - before->cpu;
  EXPECT_TRUE(eventually([&] { return trees.cpu(JobId{1}, Clock::now())->cpu >= used; }))
      << "as both programs";
  const Duration charged = trees.cpu(JobId{1}, Clock::now())->cpu;
  // The program may still be starting.
  EXPECT_LE(charged, read_process(job.pid())->cpu) << "and as each once";
}

}  // namespace
}  // namespace sluice::testing
