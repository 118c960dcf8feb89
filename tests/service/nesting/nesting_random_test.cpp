// Random trees of commands that wait for each other's permits, in a window that one of them fills:
// all of them end, and usage never exceeds the window.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "nesting_fixture.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

constexpr std::int64_t kWindow = 20;
constexpr std::chrono::seconds kPatience{300};

/// Writes the scripts of a tree; each leaf notes the points it holds when it begins and ends.
class Forest {
 public:
  Forest(std::uint32_t seed, const TemporaryFolder& folder, std::string socket)
      : random_(seed), folder_(folder), socket_(std::move(socket)) {
    write_file(folder_.path("wide.yaml"),
               "window: {initial: 200, minimum: 200, maximum: 200}\n"
               "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off,\n"
               "          io_pressure: off, cgroup: off, disk: off, pids: off, starting: off}\n");
  }

  /// The command of a root: it holds a permit that covers its tree.
  std::string root(int depth) { return run() + "sh " + script(node(depth)); }
  int leaves() const { return leaves_; }
  std::string log() const { return folder_.path("log"); }

 private:
  int up_to(int most) { return std::uniform_int_distribution<int>(1, most)(random_); }

  std::string script(const std::string& text) {
    const std::string path = folder_.path("script" + std::to_string(++files_));
    write_file(path, text);
    return path;
  }
  std::string sluice(const std::string& command) const {
    return std::string(SLUICE_COMMAND) + " " + command + " ";
  }
  std::string run() {
    return sluice("run -q --socket " + socket_ + " --cost " + std::to_string(up_to(kWindow))) +
           "-- ";
  }

  /// `counts`: whether the environment states the points it holds; make does not tell a recipe the
  /// points of its token.
  std::string leaf(bool counts) {
    ++leaves_;
    const std::string points = counts ? "$SLUICE_PERMIT_POINTS" : "0";
    return "echo + " + points + " >>" + log() + "\nsleep 0.0" + std::to_string(up_to(5)) +
           "\necho - " + points + " >>" + log() + "\n";
  }

  std::string node(int depth, bool counts = true) {
    if (depth == 0) return leaf(counts);
    switch (up_to(5)) {
      case 1:
        return runs(depth);
      case 2:
        return batch(depth, "--config " + folder_.path("wide.yaml"));
      case 3:
        return batch(depth, "--daemon --socket " + socket_);
      case 4:
        return make(depth, sluice("jobserver -q --daemon --socket " + socket_) + "-- ");
      default:
        return make(depth, up_to(2) == 1 ? sluice("jobserver -q") + "-- " : "");
    }
  }

  std::string runs(int depth) {
    std::string text;
    const std::string end = up_to(2) == 1 ? " &\n" : "\n";
    for (int child = up_to(3); child > 0; --child) {
      text += run() + "sh " + script(node(depth - 1)) + end;
    }
    return text + "wait\n";
  }

  std::string batch(int depth, const std::string& options) {
    std::string lines;
    for (int child = up_to(3); child > 0; --child) {
      lines += "sh " + script(node(depth - 1)) + "\n";
    }
    return sluice("batch -q --state-dir " + folder_.path("state") + " " + options) + "-f " +
           script(lines) + "\n";
  }

  std::string make(int depth, const std::string& jobserver) {
    std::string goals, rules;
    for (int child = up_to(3); child > 0; --child) {
      const std::string goal = "g" + std::to_string(child);
      goals += " " + goal;
      // A recipe that runs commands gives each of them its own permit.
      rules += goal + ":\n\t@sh " + script(node(depth - 1, false)) + "\n";
    }
    return jobserver + "make -s -f " + script("all:" + goals + "\n" + rules) + "\n";
  }

  std::mt19937 random_;
  const TemporaryFolder& folder_;
  std::string socket_;
  int files_ = 0, leaves_ = 0;
};

class RandomTrees : public Nesting, public ::testing::WithParamInterface<std::uint32_t> {
 protected:
  std::int64_t usage() const {
    const json::value status = json::parse(daemon.ask("GET", "/v1/status").body);
    return status.at("window").at("usage").to_number<std::int64_t>();
  }
  /// The peak usage while they ran. Commands that still run at the deadline count as stuck.
  std::int64_t watch(const std::vector<std::unique_ptr<CommandRunner>>& roots) const {
    const TimePoint until = Clock::now() + kPatience;
    const auto has_ended = [](const auto& root) { return gone(root->pid()); };
    std::int64_t most = 0;
    while (Clock::now() < until && !std::ranges::all_of(roots, has_ended)) {
      most = std::max(most, usage());
    }
    EXPECT_TRUE(std::ranges::all_of(roots, has_ended)) << "they wait for each other";
    return most;
  }
};

TEST_P(RandomTrees, EndWithinTheWindow) {
  Forest forest(GetParam(), folder, daemon.socket());
  std::vector<std::unique_ptr<CommandRunner>> roots;
  for (int depth = 1; depth <= 3; ++depth) roots.push_back(start(forest.root(depth)));
  EXPECT_LE(watch(roots), kWindow);
  std::istringstream marks(contents_of(forest.log()));
  std::int64_t held = 0, most = 0;
  int ended = 0;
  std::string mark;
  for (std::int64_t points = 0; marks >> mark >> points;) {
    held += mark == "+" ? points : -points;
    ended += mark == "-" ? 1 : 0;
    most = std::max(most, held);
  }
  EXPECT_EQ(ended, forest.leaves());
  EXPECT_LE(most, kWindow);
  expect_nothing_is_left();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrees, ::testing::Range<std::uint32_t>(1, 7));

}  // namespace
}  // namespace sluice::testing
