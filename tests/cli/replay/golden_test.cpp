// Every example scenario reproduces the records stored next to it. After an intended change, review
// the `git diff` after
//   SLUICE_REWRITE_GOLDENS=1 build/dev/bin/test_cli --gtest_filter='*Golden*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/replay/autoscale.h"
#include "cli/replay/records.h"
#include "cli/replay/run.h"
#include "config/scenario.h"
#include "contents.h"

namespace sluice::cli {
namespace {
using testing::contents_of;
namespace fs = std::filesystem;

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(SLUICE_SOURCE "/examples/scenarios")) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ReplayGolden : public ::testing::TestWithParam<std::string> {};

std::string records_of_autoscaler(const std::string& path) {
  const AutoscaleScenarioResult read = read_autoscale_scenario(path);
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&read)) {
    ADD_FAILURE() << to_string(errors->front());
    return "";
  }
  std::string records;
  replay_autoscaler(std::get<AutoscaleScenario>(read),
                    [&](const ScaleRecord& record) { append_json(records, record); });
  return records;
}

std::string records_of_jobs(const std::string& path) {
  const ScenarioResult read = read_scenario(path);
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&read)) {
    ADD_FAILURE() << to_string(errors->front());
    return "";
  }
  const auto& scenario = std::get<Scenario>(read);
  std::string records;
  ReplaySink sink;
  sink.on_record = [&](const ReplayRecord& record) { append_json(records, record); };
  sink.on_note = [](const std::string& note) { ADD_FAILURE() << note; };
  const JobSource jobs = jobs_from(scenario.jobs);
  const auto error = run_replay(scenario, jobs, scenario.file, sink);
  if (error) ADD_FAILURE() << to_string(*error);
  return records;
}

TEST_P(ReplayGolden, SaysWhatItSaid) {
  const std::string base = SLUICE_SOURCE "/examples/scenarios/" + GetParam();
  const bool autoscaler = GetParam().starts_with("autoscale-");
  const std::string records =
      autoscaler ? records_of_autoscaler(base + ".yaml") : records_of_jobs(base + ".yaml");
  const std::string golden = base + ".expected.jsonl";
  if (std::getenv("SLUICE_REWRITE_GOLDENS")) std::ofstream(golden, std::ios::binary) << records;
  EXPECT_EQ(records, contents_of(golden));
}

INSTANTIATE_TEST_SUITE_P(Examples, ReplayGolden, ::testing::ValuesIn(scenario_names()),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ReplayGoldens, EachBelongsToAScenario) {
  for (const auto& entry : fs::directory_iterator(SLUICE_SOURCE "/examples/scenarios")) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kEnding = ".expected.jsonl";
    if (!name.ends_with(kEnding)) continue;
    const std::string scenario = name.substr(0, name.size() - kEnding.size()) + ".yaml";
    EXPECT_TRUE(fs::exists(entry.path().parent_path() / scenario)) << name;
  }
}

}  // namespace
}  // namespace sluice::cli
