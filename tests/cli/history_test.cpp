#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/history_view.h"
#include "cli/settings/config_from.h"
#include "costmodel/store/history_store.h"
#include "shell.h"

namespace sluice::cli {
namespace {
using sluice::testing::Answer;
using sluice::testing::answer_of;

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::int64_t kNow = 1'772'366'400;  // 2026-03-01T12:00:00Z

Sample sample(std::string key, std::int64_t ago, Outcome outcome, double mib) {
  return {std::move(key),
          "g++",
          kNow - ago,
          outcome,
          0.98,
          Bytes{static_cast<std::uint64_t>(mib * kMiB)},
          std::chrono::milliseconds(12'300)};
}

std::unique_ptr<History> some_history() {
  auto made = std::make_unique<History>(CostOptions{}, ReservationOptions{}, nullptr);
  History& history = *made;
  for (int run = 3; run > 0; --run) {
    history.learn(sample("g++:t#_heavy.cpp:df08fd8e", 60 * run, Outcome::ok, 800 + run));
  }
  history.learn(sample("deploy", 7200, Outcome::oom, 1500));
  return made;
}

TEST(HistoryView, ListsKeysWithWhatTheNextRunNeeds) {
  EXPECT_EQ(
      history_table(some_history()->summaries(), kNow),
      R"(KEY                        RUNS  COST  CORES                 MEMORY        P95    TIME            LAST  OUTCOMES
g++:t#_heavy.cpp:df08fd8e     3    10    1.0  802.0 MiB +- 24.1 MiB  803.0 MiB  12.3 s  1 min 00 s ago  3 ok
deploy                        1    10    1.0   1.5 GiB +- 750.0 MiB    1.5 GiB  12.3 s  2 h 00 min ago  1 oom
)");
}

TEST(HistoryView, ShowsOneKeyWithItsRuns) {
  const auto made = some_history();
  const History& history = *made;
  const History::Summary heavy = history.summaries()[1];
  EXPECT_EQ(history_detail(heavy, history.samples(heavy.key), kNow), R"(g++:t#_heavy.cpp:df08fd8e
  program   g++
  runs      3, the last 1 min 00 s ago (3 ok)
  next      cost 10 points, 802.0 MiB +- 24.1 MiB of memory, 12.3 s (by runs of its key)
  p95       803.0 MiB of memory

ENDED                 CORES     MEMORY    TIME  OUTCOME
2026-03-01T11:59:00Z   0.98  801.0 MiB  12.3 s  ok
2026-03-01T11:58:00Z   0.98  802.0 MiB  12.3 s  ok
2026-03-01T11:57:00Z   0.98  803.0 MiB  12.3 s  ok
)");
}

TEST(HistoryView, SaysTheSameAsJson) {
  const auto made = some_history();
  const History& history = *made;
  const History::Summary deploy = history.summaries()[0];
  EXPECT_EQ(history_json(deploy, history.samples("deploy")),
            R"({"user":"","key":"deploy","program":"g++","runs":1,)"
            R"("outcomes":{"ok":0,"failed":0,"oom":1,"cancelled":0},)"
            R"("last_ended":"2026-03-01T10:00:00Z","busy_cores":0.98,)"
            R"("memory":{"mean":1572864000,"deviation":786432000,"p95":1572864000},)"
            R"("duration":12.3,"cost":10,"next":{"rung":"key",)"
            R"("memory":{"mean":1572864000,"deviation":786432000},"duration":12.3},)"
            R"("samples":[{"ended":"2026-03-01T10:00:00Z","outcome":"oom","busy_cores":0.98,)"
            R"("peak_memory":1572864000,"wall":12.3}]})"
            "\n");
  const std::string all = history_json(history.summaries());
  EXPECT_EQ(all.substr(0, 38), R"({"keys":[{"user":"","key":"deploy","pr)");
}

TEST(StateFolder, IsTheFirstThatIsGiven) {
  EXPECT_EQ(personal_state_folder("/x", "/home/a"), "/x/sluice");
  EXPECT_EQ(personal_state_folder("relative", "/home/a"), "/home/a/.local/state/sluice");
  EXPECT_EQ(personal_state_folder(nullptr, "/home/a"), "/home/a/.local/state/sluice");
  EXPECT_EQ(personal_state_folder("", ""), std::nullopt);
  EXPECT_EQ(personal_state_folder(nullptr, nullptr), std::nullopt);
  Config config;
  config.governing.state_dir = "/var/lib/sluice";
  EXPECT_EQ(state_folder("", config), "/var/lib/sluice");
  EXPECT_EQ(state_folder("/given", config), "/given");
}

/// The command with a state folder of its own.
class HistoryCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sluice-history-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  Answer call(const std::string& arguments) const {
    return answer_of("XDG_STATE_HOME=" + folder_.string() + " " SLUICE_COMMAND " history " +
                     arguments);
  }
  void remember(const std::vector<Sample>& samples) const {
    const auto store = open_history_store((folder_ / "sluice").string(), {});
    for (const Sample& each : samples) store->add(each);
  }

  fs::path folder_;
};

TEST_F(HistoryCommand, SaysWhereItLookedWhenNothingIsThere) {
  const Answer answer = call("");
  EXPECT_EQ(answer.status, 0);
  EXPECT_NE(answer.text.find(folder_.string()), std::string::npos) << answer.text;
  EXPECT_FALSE(fs::exists(folder_ / "sluice")) << "who only looks makes no folder";
}

TEST_F(HistoryCommand, PrintsAsciiAlone) {
  remember({sample("a", 10, Outcome::ok, 1), sample("b", 5, Outcome::ok, 2)});
  for (const char* words : {"", "a", "--help", "forget --help"}) {
    const std::string text = call(words).text;
    EXPECT_FALSE(text.empty()) << words;
    EXPECT_TRUE(std::ranges::all_of(text, [](unsigned char each) { return each < 0x80; })) << text;
  }
}

TEST_F(HistoryCommand, SaysWhatIsInThePlaceOfTheFile) {
  fs::create_directories(folder_ / "sluice");
  fs::create_symlink("/nowhere", folder_ / "sluice/history.db");
  for (const char* words : {"", "forget --all"}) {
    const Answer answer = call(words);
    EXPECT_EQ(answer.status, 2) << words;
    EXPECT_NE(answer.text.find("history.db"), std::string::npos) << answer.text;
    EXPECT_EQ(answer.text.find("forgot"), std::string::npos) << answer.text;
  }
}

TEST_F(HistoryCommand, RefusesTheFileOfANewerVersion) {
  fs::create_directories(folder_ / "sluice");
  const std::string file = folder_ / "sluice/history.db";
  ASSERT_EQ(answer_of("python3 -c 'import sqlite3; "
                      "sqlite3.connect(\"" +
                      file + "\").execute(\"PRAGMA user_version = 99\")'")
                .status,
            0);
  for (const std::string words : {"", "--json", "a", "forget --all"}) {
    const Answer answer = call(words);
    EXPECT_EQ(answer.status, 2) << words;
    const std::string name = words.starts_with("forget") ? "history forget" : "history";
    EXPECT_EQ(answer.text, "sluice " + name + ": the history " + file +
                               " cannot be used: it was written by a newer version of sluice "
                               "(schema 99, this one knows 3); use that version\n")
        << words;
  }
}

TEST_F(HistoryCommand, ShowsAndForgets) {
  remember({sample("a", 10, Outcome::ok, 1), sample("b", 5, Outcome::ok, 2)});
  EXPECT_NE(call("").text.find("\nb "), std::string::npos) << call("").text;
  EXPECT_NE(call("a").text.find("program   g++"), std::string::npos);
  EXPECT_EQ(call("forget a").text, "forgot 1 key, 1 run\n  a: 1 run\n");
  EXPECT_EQ(call("a").status, 2);
  const Answer unknown = call("forget a");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.text, "sluice history: no history of `a` (sluice history lists keys)\n");
  EXPECT_EQ(call("forget").status, 2);
  EXPECT_EQ(call("forget --all --json").text,
            R"({"forgotten":1,"keys":[{"user":"","key":"b","runs":1}]})"
            "\n");
  EXPECT_EQ(call("--json").text, "{\"keys\":[]}\n");
}

TEST_F(HistoryCommand, ForgetsWhatOneUserTaughtSinceThen) {
  Sample old = sample("k", 0, Outcome::ok, 1), late = old, root = old;
  old.user = late.user = "4001";
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  late.ended = root.ended = std::chrono::duration_cast<std::chrono::seconds>(now).count() - 60;
  remember({old, late, late, root});
  EXPECT_NE(call("").text.find("4001"), std::string::npos) << call("").text;
  EXPECT_NE(call("k").text.find("user      4001"), std::string::npos) << call("k").text;
  EXPECT_EQ(call("forget --user nobody-has-this-name").status, 2);
  EXPECT_EQ(call("forget --user ''").status, 2) << "a variable that is not set";
  for (const char* time : {"yesterday", "2026-02-30T12:00:00Z", "-1h"}) {
    const Answer refused = call(std::string("forget --since=") + time);
    EXPECT_EQ(refused.status, 2) << time;
    EXPECT_NE(refused.text.find(std::string("--since: `") + time + "` "), std::string::npos)
        << refused.text;
  }
  EXPECT_EQ(call("forget --user 4001 --all").status, 2);
  EXPECT_EQ(call("forget --user 4001 --since 1h").text,
            "forgot 1 key, 2 runs\n  k of user 4001: 2 runs\n");
  EXPECT_EQ(call("forget k --user 4001 --since 2026-03-01T14:00:00.5+02:00 --json").text,
            R"({"forgotten":1,"keys":[{"user":"4001","key":"k","runs":1}]})"
            "\n");
  EXPECT_EQ(call("forget --user 0").text, "forgot 1 key, 1 run\n  k: 1 run\n");
  EXPECT_EQ(call("--json").text, "{\"keys\":[]}\n");
}

}  // namespace
}  // namespace sluice::cli
