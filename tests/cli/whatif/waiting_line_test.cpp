#include "cli/whatif/waiting_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <list>
#include <random>

namespace sluice::cli {
namespace {

record::JobChanged to(const std::string& place, std::uint64_t of = 0) {
  record::JobChanged change;
  change.place = place;
  change.of = JobId{of};
  return change;
}

record::JobChanged to_queue(const std::string& queue, record::JobChanged change) {
  change.queue = record::Name{queue};
  return change;
}

/// The same as a list that is searched.
class SearchedList {
 public:
  void come(std::size_t job) { line_.push_back({job, "default"}); }
  void go(std::size_t job) { line_.erase(at(job)); }
  void change(std::size_t job, const record::JobChanged& change) {
    const auto moved = at(job);
    if (change.queue) moved->queue = change.queue->text;
    const auto is_beside = [&](const Job& each) { return each.queue == moved->queue; };
    auto next = moved;
    if (change.place == "front") next = std::find_if(line_.begin(), line_.end(), is_beside);
    if (change.place == "back") {
      next = std::find_if(line_.rbegin(), line_.rend(), is_beside).base();
    }
    if (change.place == "before") next = at(change.of.value);
    if (change.place == "after") next = std::next(at(change.of.value));
    if (next != moved) line_.splice(next, line_, moved);
  }
  std::vector<std::size_t> indices() const {
    std::vector<std::size_t> indices;
    for (const Job& each : line_) indices.push_back(each.number);
    return indices;
  }

 private:
  struct Job {
    std::size_t number = 0;
    std::string queue;
  };
  std::list<Job>::iterator at(std::size_t job) {
    return std::ranges::find(line_, job, &Job::number);
  }

  std::list<Job> line_;
};

TEST(WaitingLine, StandsAsAListThatIsSearchedWould) {
  constexpr std::array<const char*, 5> kPlaces{"front", "back", "before", "after", ""};
  constexpr std::array<const char*, 3> kQueues{"default", "gate", "nightly"};
  std::mt19937 random(1);
  const auto any = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  WaitingLine line;
  SearchedList expected;
  std::vector<std::size_t> jobs;
  for (std::size_t step = 1; step <= 4000; ++step) {
    if (step % 20 == 1) {
      line.come(step, JobId{step}, "default");
      expected.come(step);
      jobs.push_back(step);
    }
    const std::size_t job = jobs[any(jobs.size())];
    record::JobChanged change = to(kPlaces[any(5)], jobs[any(jobs.size())]);
    if (change.of.value == job) change = to("");
    if (any(3) == 0) change = to_queue(kQueues[any(3)], change);
    line.change(JobId{job}, change);
    expected.change(job, change);
    if (step % 40 == 0) {
      line.go(JobId{job});
      expected.go(job);
      std::erase(jobs, job);
    }
    ASSERT_EQ(line.indices(), expected.indices()) << step;
  }
}

/// Jobs 1 to `count` wait in the default queue.
WaitingLine line_of(std::size_t count) {
  WaitingLine line;
  for (std::size_t job = 1; job <= count; ++job) line.come(job, JobId{job}, "default");
  return line;
}

TEST(WaitingLine, AnyNumberOfJobsFindRoomInOnePlace) {
  constexpr std::size_t kJobs = 1000;
  WaitingLine front = line_of(kJobs), before = line_of(kJobs), after = line_of(kJobs);
  for (std::size_t job = 3; job <= kJobs; ++job) {
    front.change(JobId{job}, to_queue("gate", to("front")));
    before.change(JobId{job}, to("before", 2));
    after.change(JobId{job}, to("after", 1));
  }
  std::vector<std::size_t> up, down;
  for (std::size_t job = 3; job <= kJobs; ++job) up.push_back(job);
  down.assign(up.rbegin(), up.rend());
  const auto with_ends = [](std::size_t first, std::vector<std::size_t> jobs, std::size_t last) {
    jobs.insert(jobs.begin(), first);
    jobs.push_back(last);
    return jobs;
  };
  EXPECT_EQ(before.indices(), with_ends(1, up, 2));
  EXPECT_EQ(after.indices(), with_ends(1, down, 2));
  const std::vector<std::size_t> gate = front.indices();
  EXPECT_EQ(std::vector(gate.begin() + 2, gate.end()), down) << "each before the one before it";
}

TEST(WaitingLine, AJobThatDoesNotWaitMovesNothing) {
  WaitingLine line = line_of(3);
  line.go(JobId{2});
  line.go(JobId{2});
  line.change(JobId{2}, to("front"));
  line.change(JobId{3}, to("before", 2));
  line.change(JobId{3}, to("some newer place"));
  EXPECT_EQ(line.indices(), (std::vector<std::size_t>{1, 3}));
}

}  // namespace
}  // namespace sluice::cli
