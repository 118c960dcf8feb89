// The words that may stand at the cursor, before any shell sees them.
#include "cli/command_line/completion.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "cli/command.h"
#include "cli/completion/daemon_words.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

using Kind = Completion::Kind;
using WordSet = std::set<std::string>;

Completion at_cursor(const std::vector<std::string>& words) {
  int exit_status = 0;
  return complete(*make_command(exit_status), words);
}

WordSet words_of(const std::vector<CompletionWord>& words) {
  WordSet names;
  for (const CompletionWord& each : words) names.insert(each.word);
  return names;
}

WordSet words_at(const std::vector<std::string>& words) { return words_of(at_cursor(words).words); }

TEST(Completion, KnowsSubcommandsWithTheirMeaning) {
  EXPECT_EQ(words_at({"e"}), (WordSet{"env", "explain"}));
  EXPECT_EQ(words_at({"config", ""}), (WordSet{"check", "show", "reference"}));
  EXPECT_EQ(words_at({"help", "config", "s"}), (WordSet{"show"}));
  EXPECT_EQ(at_cursor({"expl"}).words.front().meaning, "Show in full why a job waits");
  EXPECT_FALSE(words_at({"no-such-command", ""}).contains("run"));
}

TEST(Completion, OffersOptionsThatCanStillBeGiven) {
  EXPECT_TRUE(words_at({"set", "17", "--"}).contains("--unfreeze"));
  EXPECT_FALSE(words_at({"set", "17", "--freeze", "--"}).contains("--unfreeze"));
  EXPECT_FALSE(words_at({"set", "17", "--freeze", "--"}).contains("--freeze"));
  EXPECT_EQ(words_at({"run", "--lock", "node=none", "--lo"}), (WordSet{"--lock"}));
  EXPECT_TRUE(words_at({"pause", ""}).contains("--queue"));
}

TEST(Completion, KnowsTheWordsOfAnOption) {
  EXPECT_EQ(words_at({"run", "--on-failure", ""}), (WordSet{"cancel", "run", "hold"}));
  EXPECT_EQ(words_at({"run", "--on-failure=c"}), (WordSet{"--on-failure=cancel"}));
  EXPECT_EQ(words_at({"completion", ""}), (WordSet{"bash", "zsh", "fish"}));
}

TEST(Completion, NamesTheValueThatOnlyADaemonKnows) {
  EXPECT_EQ(at_cursor({"explain", ""}).value, "JOB");
  EXPECT_EQ(at_cursor({"run", "--queue", ""}).value, "QUEUE");
  EXPECT_EQ(at_cursor({"config", "reference", "window", ""}).value, "OPTION");
  const Completion queue = at_cursor({"run", "--socket", "/s", "--queue=n"});
  EXPECT_EQ(queue.value, "QUEUE");
  EXPECT_EQ(queue.before, "--queue=");
  EXPECT_EQ(queue.given.at("--socket"), "/s");
  EXPECT_EQ(at_cursor({"explain", "17", ""}).value, "");
  EXPECT_EQ(at_cursor({"run", "--wait", ""}).value, "TIME");
}

TEST(Completion, LeavesFilesAndCommandsToTheShell) {
  EXPECT_EQ(at_cursor({"config", "check", ""}).kind, Kind::files);
  EXPECT_EQ(at_cursor({"history", "--state-dir", ""}).kind, Kind::folders);
  const Completion after_dashes = at_cursor({"run", "--key", "k", "--", "l"});
  EXPECT_EQ(after_dashes.kind, Kind::command);
  EXPECT_EQ(after_dashes.command_at, 4u);
  const Completion arguments = at_cursor({"run", "--key", "k", "ls", "--k"});
  EXPECT_EQ(arguments.kind, Kind::command);
  EXPECT_EQ(arguments.command_at, 3u);
  EXPECT_TRUE(arguments.words.empty());
  EXPECT_EQ(at_cursor({"batch", "gzip {}", ":::", ""}).kind, Kind::files);
}

TEST(Completion, IsTextForScripts) {
  EXPECT_EQ(completion_text(at_cursor({"expl"})), "words\nexplain\tShow in full why a job waits\n");
  EXPECT_EQ(completion_text(at_cursor({"run", "--", ""})), "command 2\n");
  EXPECT_EQ(completion_text(complete(*std::make_unique<CLI::App>(), {})), "words\n");
}

TEST(CompletionOfADaemon, LeavesOutWordsThatAreNoPlainText) {
  const json::object jobs = json::parse(R"json({"jobs": [
      {"id": "build-1", "key": "build", "state": "pending"}, {"id": "a$(x)", "key": "build"},
      {"id": "--socket=/x"}, {"id": "a\nb"}, {"id": "\u202eab"}, {"id": 7}, {}, 8]})json")
                                .as_object();
  const auto words = job_words(jobs);
  EXPECT_EQ(words_of(words), (WordSet{"build-1", "a$(x)"}));
  EXPECT_EQ(words.front().meaning, "pending, build");
  EXPECT_EQ(words_of(key_words(jobs)), (WordSet{"build"}));
}

TEST(CompletionOfADaemon, KnowsQueuesAndManagers) {
  const json::object status =
      json::parse(R"({"queues": [{"name": "nightly", "running": 1, "pending": 2}],
      "resources": [{"manager": "db", "kind": "quantity"}, {"kind": "quantity"}]})")
          .as_object();
  EXPECT_EQ(queue_words(status).front().meaning, "1 running, 2 pending");
  EXPECT_EQ(words_of(manager_words(status)), (WordSet{"db="}));
  for (const char* answer : {"{}", R"({"queues": 3, "resources": {}})", R"({"queues": [null]})"}) {
    EXPECT_TRUE(queue_words(json::parse(answer).as_object()).empty());
    EXPECT_TRUE(manager_words(json::parse(answer).as_object()).empty());
  }
}

TEST(CompletionOfADaemon, IsEmptyWithoutOne) {
  EXPECT_TRUE(words_of_daemon("JOB", "/no/such/socket").empty());
  EXPECT_TRUE(words_of_daemon("TIME", "/no/such/socket").empty());
}

}  // namespace
}  // namespace sluice::cli
