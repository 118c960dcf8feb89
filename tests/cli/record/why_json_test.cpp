// `sluice why JOB --json`: amounts in the units of the API, and null for what is not known.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "cli/record/why_job.h"
#include "sample_record.h"

namespace sluice::cli::testing {
namespace {
namespace json = boost::json;

json::object why_in_json(const SampleRecord& sample) {
  const Story story = sample.story();
  return json::parse(why_json(*story.find("1"), story)).as_object();
}

TEST(WhyJson, AmountsOfAWaitAreInTheUnitsOfTheApiAndNullIfNothingIsCounted) {
  record::JobWaits cores = waits(1, "window", 1);
  cores.binding.text = "cpu";
  cores.needs = 1000;
  cores.free = -500;
  cores.total = 2499;
  const json::array phases = why_in_json(SampleRecord()
                                             .add(0s, submitted(1, "a"))
                                             .add(1s, cores)
                                             .add(10s, waits(1, "memory", 1))
                                             .add(20s, waits(1, "window", 1))
                                             .add(30s, started(1)))
                                 .at("waits")
                                 .as_array();
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(phases[0].at("needs").to_number<double>(), 1);
  EXPECT_EQ(phases[0].at("free").to_number<double>(), -0.5);
  EXPECT_EQ(phases[0].at("total").to_number<double>(), 2.499);
  EXPECT_EQ(phases[1].at("needs"), 1'300'000'000) << "bytes";
  for (const char* amount : {"needs", "free", "total"}) {
    EXPECT_TRUE(phases[2].at(amount).is_null()) << amount << " of points, which have their own";
  }
}

TEST(WhyJson, OfAJobThatWasNotMeasuredNothingIsKnown) {
  const auto finished = [](bool measured) {
    return why_in_json(
               SampleRecord()
                   .add(0s, submitted(1, "a"))
                   .add(0s, started(1))
                   .add(42s,
                        record::JobFinished{JobId{1}, "ok", "finish", "", measured, {}, {}, {}}))
        .at("finished");
  };
  for (const char* used : {"seconds", "cores", "peak_memory"}) {
    EXPECT_TRUE(finished(false).at(used).is_null()) << used;
    EXPECT_EQ(finished(true).at(used).to_number<double>(), 0) << used;
  }
}

}  // namespace
}  // namespace sluice::cli::testing
