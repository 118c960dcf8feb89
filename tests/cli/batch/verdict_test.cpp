#include "cli/batch/verdict.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace sluice::cli {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

/// Four compile jobs on two CPUs, two at once for most of the time.
VerdictFacts example_facts() {
  VerdictFacts facts;
  facts.terms = {"compile job", 2, 8 * kGiB};
  facts.known = 4;
  facts.seconds = 21;
  facts.runs = {{10, 8, kGiB}, {8, 8, 4 * kGiB}, {12, 10, 3 * kGiB}, {5, 4, kGiB}};
  facts.at_once = {{0, 1}, {1, 4}, {2, 14}, {3, 2}};
  facts.waited_for = {{"sensor cpu_pressure", 12.5}, {"window", 3}};
  facts.cuts = {{"cpu_pressure", 2}};
  facts.peak_memory_bytes = 5 * kGiB;
  return facts;
}

TEST(Verdict, SaysWhatRanHowManyAtOnceWhyAndWhatAFixedNumberMeans) {
  EXPECT_EQ(
      to_text(judge(example_facts())),
      "\nVerdict\n"
      "  4 compile jobs finished in 21.0 s; none failed.\n"
      "  Sluice ran 2 at a time (median), 3 at most.\n"
      "  More did not start because sensor cpu_pressure was red (12.5 s), the window was full "
      "(3.0 s).\n"
      "  Sensor cpu_pressure cut the window twice.\n"
      "  Memory: 5.0 GiB at the peak, of 8.0 GiB.\n"
      "  A fixed number of jobs instead, computed from these runs:\n"
      "    -j1    takes up to 35.0 s, the sum of the run times\n"
      "    -j2    needs 7.0 GiB when the largest jobs run together\n"
      "    -j4    needs 9.0 GiB when the jobs run together: more than there is\n"
      "  With any number they take at least 15.0 s: their CPU time on 2 CPUs.\n");
}

TEST(Verdict, AFixedNumberNeedsTheMemoryOfSoManyLargestPeaks) {
  struct Case {
    double cpus;
    std::vector<FixedNumber> fixed;
  };
  for (const Case& each :
       {Case{1, {{1, 4 * kGiB}, {4, 9 * kGiB}}},
        Case{1.5, {{1, 4 * kGiB}, {2, 7 * kGiB}, {4, 9 * kGiB}}},
        Case{3, {{1, 4 * kGiB}, {3, 8 * kGiB}, {4, 9 * kGiB}}},
        Case{4, {{1, 4 * kGiB}, {4, 9 * kGiB}}}, Case{64, {{1, 4 * kGiB}, {4, 9 * kGiB}}}}) {
    VerdictFacts facts = example_facts();
    facts.terms.cpus = each.cpus;
    EXPECT_EQ(judge(facts).fixed, each.fixed) << each.cpus;
  }
}

TEST(Verdict, TheUsualNumberIsTheMedianOfTheTimeInWhichAnyRan) {
  struct Case {
    std::map<std::size_t, double> at_once;
    std::size_t usual, most;
  };
  for (const Case& each : {Case{{}, 0, 0}, Case{{{0, 9}}, 0, 0}, Case{{{0, 90}, {1, 1}}, 1, 1},
                           Case{{{1, 5}, {2, 4}}, 1, 2}, Case{{{1, 4}, {2, 1}, {7, 5}}, 2, 7},
                           Case{{{1, 4}, {2, 1}, {7, 5.1}}, 7, 7}}) {
    VerdictFacts facts = example_facts();
    facts.at_once = each.at_once;
    const BatchVerdict verdict = judge(facts);
    EXPECT_EQ(verdict.usual, each.usual);
    EXPECT_EQ(verdict.most, each.most);
  }
}

TEST(Verdict, SaysWhatWasLeftAndWhy) {
  VerdictFacts facts = example_facts();
  facts.known = 9;
  facts.failed = 1;
  facts.stopped = 2;
  EXPECT_NE(to_text(judge(facts))
                .find("  4 of 9 compile jobs finished in 21.0 s; 1 failed.\n"
                      "  3 were not started and 2 were ended.\n"),
            std::string::npos)
      << to_text(judge(facts));
  facts.known = 6;
  facts.stopped = 1;
  EXPECT_NE(to_text(judge(facts)).find("  1 was not started and 1 was ended.\n"), std::string::npos)
      << to_text(judge(facts));
  facts.known = 9;
  facts.stopped = 0;
  facts.time_limit = 60;
  EXPECT_NE(to_text(judge(facts)).find("  5 were not started, to stay within 1 min 00 s.\n"),
            std::string::npos)
      << to_text(judge(facts));
}

TEST(Verdict, SaysThatNothingHadToWaitAndNothingThatWasNotMeasured) {
  VerdictFacts facts = example_facts();
  facts.waited_for.clear();
  facts.cuts.clear();
  facts.terms.memory_bytes.reset();
  const std::string text = to_text(judge(facts));
  EXPECT_NE(text.find("  No job had to wait.\n  Memory: 5.0 GiB at the peak.\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("more than there is"), std::string::npos);
  facts.runs.clear();
  facts.at_once.clear();
  EXPECT_EQ(to_text(judge(facts)),
            "\nVerdict\n  0 of 4 compile jobs finished in 21.0 s; none failed.\n"
            "  4 were not started.\n");
  facts.waited_for = {{"sensor load", 44.9}};
  EXPECT_NE(to_text(judge(facts)).find("  No job started because sensor load was red (44.9 s).\n"),
            std::string::npos)
      << to_text(judge(facts));
}

TEST(Verdict, SaysTheSameAsJson) {
  EXPECT_EQ(boost::json::serialize(to_json(judge(example_facts()))),
            R"({"what":"compile jobs","jobs":4,"finished":4,"failed":0,"stopped":0,)"
            R"("not_started":0,"time_limit_seconds":null,"seconds":2.1E1,)"
            R"("at_once":{"median":2,"most":3},)"
            R"("waited_for_seconds":{"sensor cpu_pressure":1.25E1,"window":3E0},)"
            R"("cuts":{"cpu_pressure":2},"peak_memory_bytes":5368709120,)"
            R"("memory_bytes":8589934592,"cpus":2E0,)"
            R"("fixed":[{"jobs":1,"memory_bytes":4294967296,"seconds_at_most":3.5E1,)"
            R"("seconds_at_least":1.5E1},{"jobs":2,"memory_bytes":7516192768,)"
            R"("seconds_at_least":1.5E1},{"jobs":4,"memory_bytes":9663676416,)"
            R"("seconds_at_least":1.5E1}]})");
}

}  // namespace
}  // namespace sluice::cli
