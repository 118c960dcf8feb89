#include "cli/batch/reporter.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace sluice::cli {
namespace {
using Telling = BatchSettings::Telling;

/// Captures messages in a pipe, which they never fill.
class Heard {
 public:
  Heard() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~Heard() {
    for (const int end : ends_) close(end);
  }
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;
  int descriptor() const { return ends_[1]; }
  std::string text() const {
    std::string text(1 << 16, '\0');
    pollfd ready{ends_[0], POLLIN, 0};
    const ssize_t size = poll(&ready, 1, 0) > 0 ? read(ends_[0], text.data(), text.size()) : 0;
    text.resize(static_cast<std::size_t>(size));
    return text;
  }

 private:
  std::array<int, 2> ends_{};
};

BatchJob reported_job() {
  BatchJob job;
  job.seq = 2;
  job.place = "jobs:2";
  job.line = "make \x1b[31mlib";
  return job;
}

JoblogLine end_of(const std::string& outcome) {
  JoblogLine line;
  line.seq = 2;
  line.command = reported_job().line;
  line.outcome = outcome;
  line.runtime = 1.5;
  line.peak_memory = 3 << 20;
  return line;
}

/// All messages about one job.
std::string told(Telling telling) {
  BatchSettings settings;
  const Heard heard;
  settings.telling = telling;
  settings.told_on = heard.descriptor();
  BatchOutput output(BatchOutput::Order::as_they_end, BatchOutput::Lines::plain);
  BatchReporter reporter(settings, output, Clock::now());
  reporter.started(reported_job(), 1, 10);
  reporter.retried(reported_job(), 1, "exit status 2");
  reporter.finished(end_of("failed"), "exit status 2", "no such header", {});
  reporter.finished(end_of("ok"), "exit status 0", "", {});
  reporter.left(reported_job(), BatchReporter::Left::skipped, "it is in the joblog");
  reporter.left(reported_job(), BatchReporter::Left::cancelled, "not run: why");
  EXPECT_EQ(reporter.finished(), 2u);
  EXPECT_EQ(reporter.failed(), 1u) << "a job after a failed one has not failed";
  reporter.refused(reported_job(), "not run: it was cancelled");
  EXPECT_EQ(reporter.finished(), 2u);
  EXPECT_EQ(reporter.failed(), 2u);
  return heard.text();
}

TEST(BatchReporter, SaysWhatWentWrongAndNoMore) {
  EXPECT_EQ(told(Telling::plain),
            "sluice batch: make ?[31mlib: exit status 2 (attempt 1), will run again\n"
            "sluice batch: make ?[31mlib: exit status 2\n"
            "sluice batch: jobs:2: make ?[31mlib: not run: why\n"
            "sluice batch: jobs:2: make ?[31mlib: not run: it was cancelled\n");
}

TEST(BatchReporter, VerboseHasALineForEachEnd) {
  const std::string text = told(Telling::verbose);
  EXPECT_NE(text.find("1     FAILED 1.5 s     3.0 MiB    make ?[31mlib: exit status 2: no such "
                      "header\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("2     ok     1.5 s     3.0 MiB    make ?[31mlib\n"), std::string::npos)
      << text;
}

TEST(BatchReporter, QuietAndJsonSayNothingToPeople) {
  EXPECT_EQ(told(Telling::quiet), "");
  EXPECT_EQ(told(Telling::json), "");
}

/// The disk is too full for any job.
std::optional<AdmissionBackend::Wait> held() {
  Refusal refusal;
  refusal.code = RefusalCode::sensor;
  refusal.binding = "disk";
  Status status;
  status.limiting = refusal;
  return wait_in(status);
}

/// The times, in tenths of a second, at which a line was written about the wait of a job that is
/// held from the start; a job runs at `runs`.
std::vector<int> waits_told(Telling telling, int runs) {
  BatchSettings settings;
  const Heard heard;
  settings.telling = telling;
  settings.told_on = heard.descriptor();
  BatchOutput output(BatchOutput::Order::as_they_end, BatchOutput::Lines::plain);
  const TimePoint began = Clock::now();
  BatchReporter reporter(settings, output, began);
  std::vector<int> told;
  for (int tenth = 0; tenth < 50; ++tenth) {
    reporter.explain_wait(tenth == runs ? std::nullopt : held(),
                          began + std::chrono::milliseconds(100) * tenth);
    const std::string text = heard.text();
    if (text.empty()) continue;
    EXPECT_EQ(text, "sluice batch: waiting: sensor disk is red\n");
    told.push_back(tenth);
  }
  EXPECT_EQ(output.backlog(), telling == Telling::json ? 1u : 0u);
  return told;
}

TEST(BatchReporter, SaysAfterTwoSecondsWhyNothingRuns) {
  constexpr int kNever = -1;
  for (const Telling telling : {Telling::plain, Telling::verbose}) {
    EXPECT_EQ(waits_told(telling, kNever), std::vector<int>{20});
    EXPECT_EQ(waits_told(telling, 15), std::vector<int>{36}) << "one ran";
  }
  for (const Telling telling : {Telling::quiet, Telling::live, Telling::json}) {
    EXPECT_EQ(waits_told(telling, kNever), std::vector<int>{});
  }
}

TEST(BatchReporter, WhatCannotBeUsedIsSaidToAll) {
  for (const Telling telling : {Telling::quiet, Telling::plain, Telling::json}) {
    BatchSettings settings;
    const Heard heard;
    settings.telling = telling;
    settings.told_on = heard.descriptor();
    BatchOutput output(BatchOutput::Order::as_they_end, BatchOutput::Lines::plain);
    BatchReporter reporter(settings, output, Clock::now());
    reporter.problem("jobs:3: `after` is wrong");
    EXPECT_EQ(heard.text(), "sluice batch: jobs:3: `after` is wrong\n");
    EXPECT_EQ(output.backlog(), telling == Telling::json ? 1u : 0u);
  }
}

}  // namespace
}  // namespace sluice::cli
