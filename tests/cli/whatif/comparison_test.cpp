#include "cli/whatif/comparison.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../record/sample_record.h"
#include "cli/record/moment.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::wall;

RunFigures figures(std::initializer_list<Duration> waits, Duration makespan) {
  RunFigures figures;
  int job = 0;
  for (const Duration each : waits) figures.waits[std::to_string(++job)] = each;
  figures.makespan = makespan;
  figures.busy = 0.5;
  return figures;
}

Comparison comparison() {
  Comparison comparison;
  comparison.record = "/state/record";
  comparison.recorded.recorded = figures({1s, 2s, 10s}, 90s);
  comparison.recorded.from = wall(0s);
  comparison.recorded.to = wall(90s);
  comparison.recorded.jobs = 3;
  comparison.recorded.unmeasured = 1;
  comparison.model = figures({1s, 2500ms, 9s}, 88s);
  comparison.rows = {{"window.law=rfc", figures({0s, 0s, 20ms}, 80s)},
                     {"2 CPUs", figures({0s, 0s, 10ms}, 85s)}};
  return comparison;
}

TEST(WhatifComparison, IsATableWithTheErrorOfTheModel) {
  EXPECT_EQ(comparison_text(comparison()),
            "3 jobs, " + local_time(wall(0s)) + " to " + local_time(wall(90s)) + "\n" + R"(
                     wait p50         p95         max     makespan    busy  killed   never
recorded                2.0 s      10.0 s      10.0 s   1 min 30 s   50.0%       0       0
model of the same       2.5 s       9.0 s       9.0 s   1 min 28 s   50.0%       0       0
window.law=rfc           0 ms       20 ms       20 ms   1 min 20 s   50.0%       0       0
2 CPUs                   0 ms       10 ms       10 ms   1 min 25 s   50.0%       0       0  best

The model's error: +500 ms (+25.0%) in the median wait, -1.0 s (-10.0%) in the 95th percentile.
1 job was not measured and takes time only.
)");
}

TEST(WhatifComparison, TheSameAsOneJsonObject) {
  const auto value = boost::json::parse(comparison_json(comparison()));
  EXPECT_EQ(value.at("jobs").as_int64(), 3);
  EXPECT_EQ(value.at("recorded").at("waits").at("p95_seconds").to_number<double>(), 10);
  EXPECT_EQ(value.at("model").at("error").at("p50_ratio").to_number<double>(), 0.25);
  EXPECT_EQ(value.at("variants").at(0).at("name").as_string(), "window.law=rfc");
  EXPECT_EQ(value.at("best").as_string(), "2 CPUs");
}

TEST(WhatifComparison, RemarksAreInTextAndJson) {
  Comparison compared = comparison();
  compared.remarks = {"sensors.disk.limit has no effect"};
  EXPECT_TRUE(
      comparison_text(compared).ends_with("takes time only.\nsensors.disk.limit has no effect.\n"));
  const auto value = boost::json::parse(comparison_json(compared));
  EXPECT_EQ(value.at("remarks").at(0).as_string(), "sensors.disk.limit has no effect");
}

TEST(WhatifComparison, KillsCountMoreThanWaits) {
  ComparedRow quick{"quick", figures({1s}, 10s)};
  quick.figures.killed = 1;
  ComparedRow stuck{"stuck", figures({1s}, 10s)};
  stuck.figures.never = 1;
  const ComparedRow slow{"slow", figures({5s}, 20s)};
  EXPECT_EQ(best_of(std::vector{quick, stuck, slow}), 2U);
  EXPECT_EQ(best_of(std::vector{quick, stuck}), 1U);
  EXPECT_EQ(best_of(std::vector<ComparedRow>{}), std::nullopt);
}

/// The name of the row that the text marks as best, and the best one in JSON; "" for none.
std::pair<std::string, std::string> best_in(const Comparison& comparison) {
  const std::string text = comparison_text(comparison);
  std::string marked;
  if (const std::size_t end = text.find("  best\n"); end != text.npos) {
    const std::size_t start = text.rfind('\n', end) + 1;
    marked = text.substr(start, text.find("   ", start) - start);
  }
  const auto value = boost::json::parse(comparison_json(comparison)).at("best");
  return {marked, value.is_null() ? "" : boost::json::value_to<std::string>(value)};
}

TEST(WhatifComparison, TheRecordedConfigurationCompetesForTheBest) {
  Comparison compared = comparison();
  EXPECT_EQ(best_in(compared), std::pair("2 CPUs"s, "2 CPUs"s));
  for (ComparedRow& each : compared.rows) each.figures.never = 2;
  EXPECT_EQ(best_in(compared), std::pair("model of the same"s, "model of the same"s));
  compared.rows.resize(1);
  EXPECT_EQ(best_in(compared), std::pair("model of the same"s, "model of the same"s));
  compared.rows[0].figures = *compared.model;
  EXPECT_EQ(best_in(compared), std::pair("model of the same"s, "model of the same"s)) << "no gain";
}

TEST(WhatifComparison, OneRowOfTheModelAloneIsNotTheBest) {
  Comparison compared = comparison();
  compared.rows.resize(1);
  compared.model.reset();
  EXPECT_EQ(best_in(compared), std::pair(""s, ""s));
  Comparison same = comparison();
  same.rows.clear();
  EXPECT_EQ(best_in(same), std::pair(""s, ""s));
}

TEST(WhatifComparison, ARowThatFailsSaysWhyBesideTheOthers) {
  Comparison compared = comparison();
  EXPECT_FALSE(has_failures(compared));
  compared.rows[1] = {"b.yaml", {}, "there is no queue `b`"};
  EXPECT_TRUE(has_failures(compared));
  EXPECT_EQ(best_in(compared), std::pair("window.law=rfc"s, "window.law=rfc"s))
      << "never the one that failed";
  const std::string text = comparison_text(compared);
  EXPECT_NE(text.find("\nb.yaml                      -           -           -            -  "
                      "     -       -       -  failed\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("\nb.yaml failed: there is no queue `b`.\n"), text.npos) << text;
  const auto variants = boost::json::parse(comparison_json(compared)).at("variants");
  EXPECT_TRUE(variants.at(0).at("failure").is_null());
  EXPECT_EQ(variants.at(1).at("failure").as_string(), "there is no queue `b`");
  EXPECT_TRUE(variants.at(1).at("waits").is_null());
  EXPECT_EQ(waits_plot(compared, "waits.svg").find("b.yaml"), std::string::npos);
}

TEST(WhatifComparison, TheModelOfTheSameMayFailAlone) {
  Comparison compared = comparison();
  compared.model.reset();
  compared.model_failure = "it went wrong";
  EXPECT_TRUE(has_failures(compared));
  EXPECT_NE(comparison_text(compared).find("\nmodel of the same failed: it went wrong.\n"),
            std::string::npos);
  const auto value = boost::json::parse(comparison_json(compared));
  EXPECT_TRUE(value.at("model").is_null());
  EXPECT_EQ(value.at("model_failure").as_string(), "it went wrong");
  EXPECT_EQ(value.at("best").as_string(), "2 CPUs");
}

TEST(WhatifComparison, AnErrorRelativeToNoWaitIsSaidInTimeOnly) {
  Comparison compared = comparison();
  compared.recorded.recorded = figures({0s, 0s, 0s}, 90s);
  compared.model = figures({0s, 0s, 109ms}, 90s);
  const std::string text = comparison_text(compared);
  EXPECT_NE(text.find("The model's error: +0 ms (+0.0%) in the median wait, "
                      "+109 ms in the 95th percentile.\n"),
            text.npos)
      << text;
  const auto error = boost::json::parse(comparison_json(compared)).at("model").at("error");
  EXPECT_EQ(error.at("p50_ratio").to_number<double>(), 0);
  EXPECT_TRUE(error.at("p95_ratio").is_null());
  EXPECT_EQ(error.at("p95_seconds").to_number<double>(), 0.109);
}

TEST(WhatifComparison, TheErrorOfAModelInWhichNothingStartsIsUnknown) {
  Comparison compared = comparison();
  compared.model = figures({}, 0s);
  EXPECT_NE(comparison_text(compared).find("The model's error is unknown: "), std::string::npos);
  const auto error = boost::json::parse(comparison_json(compared)).at("model").at("error");
  EXPECT_TRUE(error.at("p50_ratio").is_null());
}

TEST(WhatifComparison, AModelThatAnswersWithTheRecordedWaitsHasNoError) {
  const Comparison same = comparison();
  const ModelError error = model_error(same.recorded.recorded, same.recorded.recorded);
  EXPECT_EQ(error.median, 0);
  EXPECT_EQ(error.p95_time, 0s);
}

TEST(WhatifComparison, PercentilesAreOfTheNearestRank) {
  const RunFigures ten = figures({1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s, 10s}, 10s);
  EXPECT_EQ(wait_percentile(ten, 0.5), 5s);
  EXPECT_EQ(wait_percentile(ten, 0.95), 10s);
  EXPECT_EQ(wait_percentile(ten, 0), 1s);
  EXPECT_EQ(wait_percentile({}, 0.5), 0s);
}

}  // namespace
}  // namespace sluice::cli
