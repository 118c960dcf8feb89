#include "cli/batch_teller.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

namespace sluice::cli {
namespace {
using Telling = BatchSettings::Telling;

/// What is said to people while this lives.
class Heard {
 public:
  Heard() : kept_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~Heard() { std::cerr.rdbuf(kept_); }
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* kept_;
};

BatchJob job() {
  BatchJob job;
  job.seq = 2;
  job.place = "jobs:2";
  job.line = "make \x1b[31mlib";
  return job;
}

JoblogLine end_of(const std::string& outcome) {
  JoblogLine line;
  line.seq = 2;
  line.command = job().line;
  line.outcome = outcome;
  line.runtime = 1.5;
  line.peak_memory = 3 << 20;
  return line;
}

/// All that one job gives occasion to say.
std::string told(Telling telling) {
  BatchSettings settings;
  settings.telling = telling;
  BatchOutput output(BatchOutput::Order::as_they_end, BatchOutput::Lines::plain);
  BatchTeller teller(settings, output, Clock::now());
  const Heard heard;
  teller.started(job(), 1, 10);
  teller.retried(job(), 1, "exit status 2");
  teller.finished(end_of("failed"), "exit status 2", "no such header", {});
  teller.finished(end_of("ok"), "exit status 0", "", {});
  teller.left(job(), BatchTeller::Left::skipped, "the joblog has it");
  teller.left(job(), BatchTeller::Left::cancelled, "not run: why");
  EXPECT_EQ(teller.finished(), 2u);
  EXPECT_EQ(teller.failed(), 1u);
  return heard.text();
}

TEST(BatchTeller, SaysWhatWentWrongAndNoMore) {
  EXPECT_EQ(told(Telling::plain),
            "sluice batch: make ?[31mlib: exit status 2 (attempt 1), to be run again\n"
            "sluice batch: make ?[31mlib: exit status 2\n"
            "sluice batch: jobs:2: make ?[31mlib: not run: why\n");
}

TEST(BatchTeller, VerboseHasALineForEachEnd) {
  const std::string text = told(Telling::verbose);
  EXPECT_NE(text.find("1     FAILED 1.5 s     3.0 MiB    make ?[31mlib: exit status 2: no such "
                      "header\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("2     ok     1.5 s     3.0 MiB    make ?[31mlib\n"), std::string::npos)
      << text;
}

TEST(BatchTeller, QuietAndJsonSayNothingToPeople) {
  EXPECT_EQ(told(Telling::quiet), "");
  EXPECT_EQ(told(Telling::json), "");
}

TEST(BatchTeller, WhatCannotBeUsedIsSaidToAll) {
  for (const Telling telling : {Telling::quiet, Telling::plain, Telling::json}) {
    BatchSettings settings;
    settings.telling = telling;
    BatchOutput output(BatchOutput::Order::as_they_end, BatchOutput::Lines::plain);
    BatchTeller teller(settings, output, Clock::now());
    const Heard heard;
    teller.problem("jobs:3: `after` is wrong");
    EXPECT_EQ(heard.text(), "sluice batch: jobs:3: `after` is wrong\n");
    EXPECT_EQ(output.backlog(), telling == Telling::json ? 1u : 0u);
  }
}

}  // namespace
}  // namespace sluice::cli
