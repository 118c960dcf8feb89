#include "cli/batch/input.h"

#include <gtest/gtest.h>

#include "base/shell_command.h"

namespace sluice::cli {
namespace {

using Words = std::vector<std::string>;

TEST(BatchCommand, ALineIsRunWithoutAShellOnlyWhereItMeansTheSameToOne) {
  const std::vector<std::pair<std::string, bool>> lines{
      {"make -j4 CC=gcc", true},
      {"  /usr/bin/gzip\t-9 a.log ", true},
      {"true", true},
      {"false", true},
      {"true --help", false},  // The shell's builtin prints nothing.
      {"./echo hi", true},
      {"echo hi", false},
      {"time make", false},
      {"CC=gcc make", false},
      {"%1", false},
      {"cd /tmp", false},
      {"exit", false},
      {":", false},
      {".", false},
      {"[ a = b ]", false},
      {"ls *.log", false},
      {"ls ~", false},
      {"ls a#b", false},
      {"a; b", false},
      {"a 'b'", false},
      {"a $b", false},
      {"a > b", false},
      {"a {b,c}", false},
      {"a \\b", false},
      {"g\xc3\xbc", false},
      {"", false},
  };
  for (const auto& [line, plain] : lines) EXPECT_EQ(plain_words(line).has_value(), plain) << line;
  EXPECT_EQ(argv_of_line(" a  b\tc"), (Words{"a", "b", "c"}));
  EXPECT_EQ(argv_of_line("a | b"), (Words{"sh", "-c", "a | b"}));
}

TEST(BatchCommand, QuotesForTheShellOnlyWhatNeedsIt) {
  EXPECT_EQ(shell_quoted("a/b-1.c"), "a/b-1.c");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("a\nb"), "'a\nb'");
  EXPECT_EQ(shell_quoted(Words{"sh", "-c", "a b"}), "sh -c 'a b'");
}

TEST(BatchTemplate, PutsTheArgumentWhereParallelDoes) {
  const std::vector<std::array<std::string, 3>> fills{
      {"gzip {}", "a b.log", "gzip 'a b.log'"},
      {"gzip", "x.log", "gzip x.log"},
      {"cp {} {.}", "d.d/x.tar.gz", "cp d.d/x.tar.gz d.d/x.tar"},
      {"echo {.}", "d.d/x", "echo d.d/x"},
      {"echo {/}", "/a/b.c", "echo b.c"},
      {"echo {//} {//}", "/a/b.c", "echo /a /a"},
      {"echo {//}", "b.c", "echo ."},
      {"echo {//}", "/b", "echo /"},
      {"echo {/.}", "/a.d/b.c", "echo b"},
      {"echo {#}-{}", "x", "echo 7-x"},
      {"awk '{print}' {}", "x", "awk '{print}' x"},
      {"echo {", "x", "echo { x"},
      {"echo {}", "{}", "echo '{}'"},
      {"echo {}", "$(rm -rf /)", "echo '$(rm -rf /)'"},
  };
  for (const auto& [text, argument, line] : fills) {
    EXPECT_EQ(BatchTemplate({text}).filled(argument, 7), line);
  }
  EXPECT_EQ(BatchTemplate({"gzip", "-9"}).filled("x", 1), "gzip -9 x");
}

TEST(BatchTemplate, SplitsAtTheColons) {
  const auto split = std::get<BatchWords>(split_batch_words({"gzip", "{}", ":::", "a", "-b"}));
  EXPECT_EQ(split.command, (Words{"gzip", "{}"}));
  EXPECT_EQ(split.arguments, (Words{"a", "-b"}));
  EXPECT_FALSE(std::get<BatchWords>(split_batch_words({"gzip"})).arguments);
  EXPECT_TRUE(
      std::holds_alternative<std::string>(split_batch_words({"a", ":::", "1", ":::", "2"})));
  EXPECT_TRUE(std::holds_alternative<std::string>(split_batch_words({"a", "::::", "f"})));
}

class BatchInputTest : public ::testing::Test {
 protected:
  BatchJob job(std::string_view line) {
    auto taken = input_.parse_line(line);
    if (const auto* problem = std::get_if<BatchProblem>(&taken)) {
      ADD_FAILURE() << to_sentence(input_.place(), *problem);
    }
    return std::holds_alternative<BatchJob>(taken) ? std::get<BatchJob>(taken) : BatchJob{};
  }
  std::string problem(std::string_view line) {
    auto taken = input_.parse_line(line);
    const auto* problem = std::get_if<BatchProblem>(&taken);
    return problem ? to_sentence(input_.place(), *problem) : "none";
  }

  BatchInput input_{"jobs", std::nullopt, {}};
};

TEST_F(BatchInputTest, LinesAreNumberedAsTheyStandAndJobsAsTheyAreRun) {
  EXPECT_EQ(job("make a").seq, 1u);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(input_.parse_line("  ")));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(input_.parse_line("# a remark")));
  const BatchJob last = job("  make b\r");
  EXPECT_EQ(last.seq, 2u);
  EXPECT_EQ(last.place, "jobs:4");
  EXPECT_EQ(last.line, "make b");
  EXPECT_TRUE(last.request.measured);
}

TEST_F(BatchInputTest, AWrongLineHasANumberSoThatThoseBehindItKeepTheirs) {
  EXPECT_NE(problem(R"({"comand": "true"})"), "none");
  EXPECT_EQ(job("make a").seq, 2u);
}

TEST_F(BatchInputTest, ATemplateHasTheNumberOfItsJob) {
  BatchInput input("-", BatchTemplate({"echo {#}"}), {});
  for (const std::string number : {"1", "2"}) {
    const auto taken = input.parse_line("x");
    const auto& job = std::get<BatchJob>(taken);
    EXPECT_EQ(std::to_string(job.seq), number);
    EXPECT_TRUE(job.line.starts_with("echo " + number)) << job.line;
  }
}

TEST_F(BatchInputTest, AnObjectSaysAllThatAJobCan) {
  job(R"({"command": "true", "id": "lib"})");
  const BatchJob full = job(
      R"({"command": ["make", "a b"], "id": "docs", "key": "make", "priority": 5, "queue": "q",)"
      R"( "locks": {"node": "exclusive:n1"}, "global_lock": true, "resources": {"db": 2},)"
      R"( "inventory": 3, "cost": 20, "memory": "1.5GiB", "after": ["lib"], "on_failure": "run",)"
      R"( "reasons": ["r"], "params": {"p": "v"}, "nice": 5, "directory": "/tmp"})");
  EXPECT_EQ(full.argv, (Words{"make", "a b"}));
  EXPECT_EQ(full.line, "make 'a b'");
  EXPECT_EQ(full.tag, "docs");
  EXPECT_EQ(full.directory, "/tmp");
  EXPECT_EQ(full.after, (Words{"lib"}));
  const JobRequest& request = full.request;
  EXPECT_EQ(request.id, "docs");
  EXPECT_EQ(request.key, "make");
  EXPECT_EQ(request.priority, 5);
  EXPECT_EQ(request.queue, "q");
  ASSERT_TRUE(request.locks);
  EXPECT_EQ(request.locks->at(0).exclusive, (Words{"n1"}));
  EXPECT_TRUE(request.global_lock);
  EXPECT_EQ(request.resources, (std::vector<ResourceDemand>{{"db", 2}}));
  EXPECT_EQ(request.inventory, 3);
  EXPECT_EQ(request.cost, Points{20});
  EXPECT_EQ(request.memory, Bytes{1536ULL << 20});
  EXPECT_EQ(request.on_failure, OnFailure::run);
  EXPECT_EQ(request.reasons, (Words{"r"}));
  EXPECT_EQ(request.params.at("p"), "v");
  EXPECT_EQ(request.nice, 5);
}

TEST_F(BatchInputTest, ShellGroupsAreNoObjects) {
  EXPECT_EQ(job("{ echo a; }").line, "{ echo a; }");
  EXPECT_EQ(job(R"({ "command": "x" })").line, "x");
}

TEST_F(BatchInputTest, AnObjectIsUtf8AndACommandMayHaveAnyBytes) {
  EXPECT_EQ(problem("{\"command\": \"x\xff\"}"), "jobs:1: the line is not UTF-8, as JSON must be");
  EXPECT_EQ(job("x\xff").line, "x\xff");
}

TEST_F(BatchInputTest, WhatIsWrongNamesPlaceAndField) {
  EXPECT_EQ(problem(R"({"comand": "x"})"),
            "jobs:1: `comand` is not known; did you mean `command`?");
  EXPECT_EQ(problem(R"({"id": "x"})"), "jobs:2: `command` is missing");
  EXPECT_EQ(problem(R"({"command": "x", "memory": "much"})"),
            "jobs:3: `memory` must be a size such as \"1.5GiB\"");
  EXPECT_EQ(problem(R"({"command": "x", "after": ["y"]})"),
            "jobs:4: `after` names `y`, which no earlier line has as its `id`");
  EXPECT_TRUE(problem(R"({"command": "x")").starts_with("jobs:5: the line is not a JSON object: "));
  EXPECT_TRUE(problem(R"({"command": []})").starts_with("jobs:6: `command` must be "));
  EXPECT_TRUE(
      problem(R"({"command": "x", "priority": "high"})").starts_with("jobs:7: `priority` "));
  EXPECT_TRUE(problem(R"({"command": "x", "locks": {"node": "all"}})")
                  .starts_with("jobs:8: `locks.node` "));
  EXPECT_EQ(problem(std::string("a\0b", 3)),
            "jobs:9: the line contains a NUL byte, which no command can have");
  EXPECT_EQ(problem(std::string(131072, 'a')),
            "jobs:10: the line is longer than the 131071 bytes a program can receive");
  job(R"({"command": "x", "id": "twice"})");
  EXPECT_EQ(problem(R"({"command": "x", "id": "twice"})"),
            "jobs:12: `id` `twice` is already the id of an earlier line");
}

TEST(BatchInput, LinesAreArgumentsOfATemplate) {
  BatchInput input("-", BatchTemplate({"echo"}), {});
  const auto job = std::get<BatchJob>(input.parse_line("# {\"a\": 1}"));
  EXPECT_EQ(job.line, "echo '# {\"a\": 1}'");
  EXPECT_EQ(job.tag, "# {\"a\": 1}");
}

TEST(BatchInput, ArgumentsThatDoNotEndWithANewlineAreVerbatimAlsoEmptyOnes) {
  for (const BatchEnd end : {BatchEnd::word, BatchEnd::nul}) {
    BatchInput input("argument", BatchTemplate({"echo"}), {}, end);
    for (const std::string argument : {"a", "", "  ", "x\r", " y"}) {
      const auto taken = input.parse_line(argument);
      const BatchJob* job = std::get_if<BatchJob>(&taken);
      ASSERT_TRUE(job) << argument;
      EXPECT_EQ(job->line, "echo " + shell_quoted(argument));
      EXPECT_EQ(job->tag, argument);
    }
    EXPECT_EQ(input.jobs(), 5u);
  }
}

TEST(BatchInput, OfLinesAsArgumentsEmptyOnesAreSkippedAndCarriageReturnsCut) {
  BatchInput input("-", BatchTemplate({"echo"}), {});
  for (const std::string line : {"", "  ", "\r"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(input.parse_line(line))) << line;
  }
  EXPECT_EQ(std::get<BatchJob>(input.parse_line("x\r")).line, "echo x");
}

}  // namespace
}  // namespace sluice::cli
