// End to end with real processes: gearmand, executors that the autoscaler starts and stops, and two
// waves of jobs with an idle time between them.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>

#include "command_runner.h"
#include "contents.h"
#include "fixture.h"
#include "gearman_world.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;
namespace fs = std::filesystem;

const std::string kArtefacts = SLUICE_BINARY "/cluster_test";

/// One poll of the autoscaler.
struct Look {
  double time = 0;  ///< Unix time.
  int running = 0, booting = 0, draining = 0;
  std::int64_t queued = 0;
  std::vector<std::string> added, drained, removed, kept;
};

std::vector<std::string> names(const json::value& list) {
  std::vector<std::string> result;
  for (const json::value& each : list.as_array()) result.emplace_back(each.as_string().c_str());
  return result;
}

double unix_time(const std::string& rfc3339) {
  std::tm time{};
  double fraction = 0;
  std::istringstream text(rfc3339);
  text >> std::get_time(&time, "%Y-%m-%dT%H:%M:%S") >> fraction;
  return static_cast<double>(timegm(&time)) + fraction;
}

std::vector<Look> looks_in(const std::string& text) {
  std::vector<Look> looks;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    json::error_code torn;
    const json::value value = json::parse(line, torn);
    if (torn || !value.at("executors").is_object()) continue;
    const auto number = [&](const char* name) {
      return value.at("executors").at(name).to_number<int>();
    };
    looks.push_back(
        {unix_time(value.at("time").as_string().c_str()), number("running"), number("booting"),
         number("draining"), value.at("queued").to_number<std::int64_t>(), names(value.at("added")),
         names(value.at("drained")), names(value.at("removed")), names(value.at("kept"))});
  }
  return looks;
}

struct Ran {
  int job = 0;
  std::string executor;
  double time = 0;
};

std::vector<Ran> jobs_in(const std::string& path) {
  std::ifstream file(path);
  std::vector<Ran> ran;
  for (Ran each; file >> each.job >> each.executor >> each.time;) ran.push_back(each);
  return ran;
}

class ClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = Gearmand::missing(); !missing.empty()) {
      GTEST_SKIP() << "SKIPPED: " << missing;
    }
    server_ = std::make_unique<Gearmand>();
    fs::create_directories(folder_.path("fleet"));
    fs::remove_all(kArtefacts);
    start();
  }
  void TearDown() override {
    if (!server_) return;
    autoscaler_.reset();
    for (const auto& each : fs::directory_iterator(folder_.path("fleet"))) {
      std::ifstream file(each.path() / "pid");
      pid_t pid = 0;
      if (file >> pid) kill(pid, SIGKILL);
    }
  }

  void start() {
    const std::string script = std::string(SLUICE_SOURCE "/tests/autoscale/local_fleet.sh ") +
                               folder_.path(".") + " " + server_->port() + " " SLUICE_COMMAND;
    autoscaler_ =
        std::make_unique<CommandRunner>(std::vector<std::string>{SLUICE_COMMAND,
                                                                 "autoscale",
                                                                 "--max",
                                                                 "4",
                                                                 "--min",
                                                                 "1",
                                                                 "--add",
                                                                 "2",
                                                                 "--interval",
                                                                 "200ms",
                                                                 "--stabilise",
                                                                 "300ms",
                                                                 "--kill-after",
                                                                 "1s",
                                                                 "--billing",
                                                                 "0",
                                                                 "--rules",
                                                                 "window",
                                                                 "--list-command",
                                                                 script + " list",
                                                                 "--scaler",
                                                                 "exec",
                                                                 "--add-command",
                                                                 script + " add {name}",
                                                                 "--remove-command",
                                                                 script + " remove {name}",
                                                                 "--gearman",
                                                                 "127.0.0.1:" + server_->port(),
                                                                 "--functions",
                                                                 "work",
                                                                 "--job-cost",
                                                                 "10",
                                                                 "--state",
                                                                 folder_.path("state.json"),
                                                                 "-D",
                                                                 kArtefacts + "/stats.csv",
                                                                 "-P",
                                                                 kArtefacts,
                                                                 "--metrics",
                                                                 "off",
                                                                 "--json"},
                                        folder_.path("."));
  }

  void stop() {
    kill(autoscaler_->pid(), SIGTERM);
    EXPECT_EQ(autoscaler_->wait(), 0) << autoscaler_->err();
    said_ += autoscaler_->out();
  }

  void submit(int first, int count) {
    std::string lines;
    for (int job = first; job < first + count; ++job) lines += std::to_string(job) + "\n";
    Submission wave(*server_, "work", lines, "-b -n");
    EXPECT_EQ(wave.wait(), 0) << wave.err();
  }

  std::vector<Look> looks() const { return looks_in(said_ + autoscaler_->out()); }
  bool has_run(std::size_t count) const {
    return jobs_in(folder_.path("jobs")).size() >= count && server_->counts("work").total == 0;
  }
  bool is_small() const {
    const auto all = looks();
    return !all.empty() && all.back().running == 1 && all.back().booting == 0 &&
           all.back().draining == 0;
  }
  /// The maximum number of executors running at once, from this poll on.
  int most_since(std::size_t first) const {
    const auto all = looks();
    int most = 0;
    for (std::size_t i = first; i < all.size(); ++i) most = std::max(most, all[i].running);
    return most;
  }
  std::string trouble() const { return said_ + autoscaler_->out() + autoscaler_->err(); }

  TemporaryFolder folder_;
  std::unique_ptr<Gearmand> server_;
  std::unique_ptr<CommandRunner> autoscaler_;
  std::string said_;
};

/// Jobs that started on an executor after it was drained, and before it was kept or replaced.
std::vector<int> jobs_on_draining(const std::vector<Look>& looks, const std::vector<Ran>& ran) {
  struct Span {
    double from, to;
  };
  std::map<std::string, std::vector<Span>> spans;
  constexpr double never = 1e18;
  for (const Look& fleet : looks) {
    for (const auto* back : {&fleet.kept, &fleet.added}) {
      for (const std::string& id : *back) {
        if (!spans[id].empty()) spans[id].back().to = std::min(spans[id].back().to, fleet.time);
      }
    }
    for (const std::string& id : fleet.drained) spans[id].push_back({fleet.time, never});
  }
  std::vector<int> wrong;
  for (const Ran& each : ran) {
    for (const Span& span : spans[each.executor]) {
      if (each.time > span.from && each.time < span.to) wrong.push_back(each.job);
    }
  }
  return wrong;
}

TEST_F(ClusterTest, GrowsWithTheQueueAndShrinksWithoutLosingAJob) {
  ASSERT_TRUE(eventually([&] { return is_small(); })) << trouble();
  submit(1, 150);
  ASSERT_TRUE(eventually([&] { return has_run(150); })) << trouble();
  EXPECT_EQ(most_since(0), 4) << trouble();
  ASSERT_TRUE(eventually([&] { return is_small(); })) << trouble();
  // It continues after a restart in between.
  stop();
  start();
  const std::size_t second = looks_in(said_).size();
  submit(151, 150);
  ASSERT_TRUE(eventually([&] { return has_run(300); })) << trouble();
  EXPECT_EQ(most_since(second), 4) << trouble();
  ASSERT_TRUE(eventually([&] { return looks().size() > second && is_small(); })) << trouble();
  stop();

  std::vector<int> ran;
  for (const Ran& each : jobs_in(folder_.path("jobs"))) ran.push_back(each.job);
  std::sort(ran.begin(), ran.end());
  std::vector<int> each_once(300);
  for (int i = 0; i < 300; ++i) each_once[static_cast<std::size_t>(i)] = i + 1;
  EXPECT_EQ(ran, each_once);
  const auto all = looks_in(said_);
  EXPECT_TRUE(jobs_on_draining(all, jobs_in(folder_.path("jobs"))).empty()) << trouble();
  int removed = 0;
  for (const Look& fleet : all) removed += static_cast<int>(fleet.removed.size());
  EXPECT_GE(removed, 6);

  EXPECT_TRUE(contents_of(kArtefacts + "/stats.csv")
                  .starts_with("time,hosts,running_jobs,queued_jobs,slots,avg_duration,avg_wait,"
                               "avg_load\n"));
  const std::string queued = contents_of(kArtefacts + "/stats.csv");
  EXPECT_GE(std::count(queued.begin(), queued.end(), '\n'), 20);
  for (const char* name :
       {"queued", "running", "num_hosts", "avg_duration", "avg_wait", "avg_load"}) {
    EXPECT_TRUE(contents_of(kArtefacts + "/" + name + ".png").starts_with("\x89PNG")) << name;
  }
}

}  // namespace
}  // namespace sluice::testing
