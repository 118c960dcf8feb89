// The results of the example scenarios required by their source documents, computed by hand.
#include <gtest/gtest.h>

#include <map>

#include "cli/replay/autoscale.h"
#include "config/scenario.h"
#include "replay_helpers.h"

namespace sluice::cli {
namespace {

std::string records_of(const std::string& name) {
  const ScenarioResult read = read_scenario(SLUICE_SOURCE "/examples/scenarios/" + name + ".yaml");
  ReplayBuilder builder;
  builder.scenario = std::get<Scenario>(read);
  return replay(builder).text;
}

/// "20.0 b1, 20.0 a1": start times and order of the jobs.
std::string admissions(const std::string& records) {
  std::string text;
  const std::string lines = lines_with(records, {"\"admitted\""});
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
    const auto after = [&](std::string_view key, std::string_view end) {
      const std::size_t begin = lines.find(key, at) + key.size();
      return lines.substr(begin, lines.find(end, begin) - begin);
    };
    text += (text.empty() ? "" : ", ") + after("\"t\":", ",") + " " + after("\"job\":\"", "\"");
  }
  return text;
}

TEST(ReplayExamples, TheTours) {
  const std::map<std::string, std::string> expected{
      {"jqm-tours-q3-block", "0.0 single1, 60.0 dual, 120.0 single2"},
      {"jqm-tours-q3-skip", "0.0 single1, 0.0 single2, 60.0 dual"},
      {"jqm-tours-q4", "20.0 b1, 20.0 a1, 20.0 b2, 80.0 a2"},
      {"jqm-tours-q5-block", "20.0 a1, 20.0 b1, 80.0 a2, 80.0 b2"},
      {"jqm-tours-q5-skip", "20.0 a1, 20.0 b1, 20.0 b2, 80.0 a2"},
      {"jqm-tours-q6", "0.0 holder, 20.0 b1, 20.0 b2, 100.0 a1"},
      {"jqm-tours-q7", "0.0 holder, 20.0 c1, 100.0 a1, 160.0 b1"},
      {"jqm-tours-q8", "0.0 first, 20.0 other, 60.0 second"},
  };
  for (const auto& [name, starts] : expected)
    EXPECT_EQ(admissions(records_of(name)), starts) << name;
  EXPECT_NE(lines_with(records_of("jqm-tours-q8"), {"deduplicated", "third", "\"as\":\"second\""}),
            "");
}

TEST(ReplayExamples, TheWorkedExampleOfTheWeights) {
  const std::string records = records_of("spv-example");
  EXPECT_NE(lines_with(records, {"refused", "pending1", "\"weight\":1.3,"}), "");
  EXPECT_NE(lines_with(records, {"refused", "pending2", "\"weight\":7.3,"}), "");
}

TEST(ReplayExamples, TheMailsAlgorithm) {
  EXPECT_EQ(lines_with(records_of("zuul-mail"), {"\"event\":\"window\""}),
            R"({"t":30.0,"event":"window","size":30,"cause":"growth","from":20}
{"t":60.0,"event":"window","size":40,"cause":"growth","from":30}
{"t":90.0,"event":"window","size":30,"cause":"red","sensor":"load","from":40}
{"t":300.0,"event":"window","size":10,"cause":"red","sensor":"load","from":30}
{"t":330.0,"event":"window","size":20,"cause":"growth","from":10}
{"t":390.0,"event":"window","size":30,"cause":"growth","from":20}
)");
  EXPECT_EQ(lines_with(records_of("zuul-weakness"), {"\"event\":\"window\""}), "");
}

TEST(ReplayExamples, TheMigrationsConflictLessAndLess) {
  const auto conflicts = [](const std::string& name, const std::vector<std::string>& parts) {
    const std::string lines = lines_with(records_of("migrations-" + name), parts);
    return std::count(lines.begin(), lines.end(), '\n');
  };
  const std::vector<std::string> first{"\"t\":0.0", "conflicts"};
  EXPECT_EQ(conflicts("off", {"\"t\":0.0", "\"conflicts\":[\"instance1\""}), 3);
  EXPECT_EQ(conflicts("off", first), 3);
  EXPECT_EQ(conflicts("order", first), 2);
  EXPECT_EQ(conflicts("hold", {"conflicts"}), 0);
  EXPECT_LT(conflicts("order", {"conflicts"}), conflicts("off", {"conflicts"}));
  for (const char* name : {"off", "order", "hold"}) {
    EXPECT_EQ(conflicts(name, {"finished"}), 21) << name;
  }
}

TEST(ReplayExamples, TheHeavyJobStartsOnceItHasAged) {
  const std::string starts = admissions(records_of("starvation"));
  EXPECT_NE(starts.find("560.0 light11, 625.0 heavy, 685.0 light12"), std::string::npos) << starts;
}

/// "0 fits, +1 waited, -node002 idle"
std::string changes(const std::string& name) {
  const auto read =
      read_autoscale_scenario(SLUICE_SOURCE "/examples/scenarios/autoscale-" + name + ".yaml");
  std::string text;
  replay_autoscaler(std::get<AutoscaleScenario>(read), [&](const ScaleRecord& record) {
    const ScaleDecision& decision = record.decision;
    std::string change = decision.add > 0 ? "+" + std::to_string(decision.add) : "0";
    if (!decision.remove.empty()) change = "";
    for (const std::string& id : decision.remove) change += "-" + id;
    text += (text.empty() ? "" : ", ") + change + " " + std::string(name_of(decision.reason));
  });
  return text;
}

TEST(ReplayExamples, TheFleets) {
  EXPECT_EQ(changes("starcluster"),
            "0 fits, 0 young, +1 waited, 0 at_max, 0 none_due, -node003 idle, -node002 idle, "
            "0 at_min");
  EXPECT_EQ(changes("window"), "0 fits, +2 demand, 0 not_stable, 0 fits, -e4-e6-e5 idle");
  EXPECT_EQ(changes("runaway"), "0 fits, 0 runaway, 0 runaway, +1 demand");
  EXPECT_EQ(changes("full"), "0 fits, 0 fits, +2 demand, 0 fits, -e4 idle");
  EXPECT_EQ(changes("blind"), "0 blind, 0 blind, 0 blind, -node002 idle");
  EXPECT_EQ(changes("kill-master"), "-node002 idle, 0 fits, -node001 done, +1 no_slots");
}

TEST(ReplayExamples, EachRefusalShowsItself) {
  for (const char* code :
       {"window", "sensor", "paused", "draining", "queue_paused", "frozen", "resource",
        "contention", "memory", "dependency", "rule", "rate_limit", "held_for", "impossible"}) {
    std::string name = code;
    std::replace(name.begin(), name.end(), '_', '-');
    const std::string part = "\"code\":\"" + std::string(code) + "\"";
    EXPECT_NE(lines_with(records_of("refusal-" + name), {"\"refused\"", part}), "") << code;
  }
}

}  // namespace
}  // namespace sluice::cli
