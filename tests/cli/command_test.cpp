// Requirements on every subcommand.
#include "cli/command.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/autoscale/options.h"
#include "shell.h"
#include "sluice/version.h"

namespace {
using sluice::testing::Answer;
using sluice::testing::answer_of;

/// Independent of this host's sensors.
const std::string kBatch = "batch --config " SLUICE_SOURCE "/tests/cli/no_sensors.yaml ";

Answer call(const std::string& arguments) {
  return answer_of(std::string(SLUICE_COMMAND) + " " + arguments);
}

/// The names in the list of subcommands of a help text, in its order.
std::vector<std::string> subcommands_in(const std::string& help) {
  std::vector<std::string> names;
  const std::string title = "\nSubcommands:\n";
  const std::size_t list = help.find(title);
  if (list == help.npos) return names;
  std::istringstream lines(help.substr(list + title.size()));
  for (std::string line; std::getline(lines, line) && line.starts_with("  ");) {
    if (line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

/// Whether no check of the option refuses an empty value.
bool takes_nothing(CLI::Option& option) {
  try {
    for (int at = 0;; ++at) {
      std::string empty;
      if (!(*option.get_validator(at))(empty).empty()) return false;
    }
  } catch (const CLI::OptionNotFound&) {
    return true;
  }
}

TEST(Command, EverySubcommandHasHelpWithExamples) {
  const auto names = subcommands_in(call("--help").text);
  for (const char* name : {"attach", "build", "jobserver", "nproc", "version"}) {
    EXPECT_TRUE(std::ranges::count(names, name)) << name;
  }
  for (const std::string& name : names) {
    const Answer help = call(name + " --help");
    EXPECT_EQ(help.status, 0) << name;
    EXPECT_NE(help.text.find("Examples:"), std::string::npos) << name << ":\n" << help.text;
  }
  EXPECT_NE(call("history forget --help").text.find("Examples:"), std::string::npos);
}

TEST(Command, IsMadeWithoutTheOthersIfTheFirstWordNamesIt) {
  int exit_status = 0;
  const auto all = sluice::cli::make_command(exit_status);
  for (const CLI::App* command : all->get_subcommands({})) {
    const std::string name = command->get_name();
    const auto one = sluice::cli::make_command(exit_status, name);
    EXPECT_LE(one->get_subcommands({}).size(), 3U) << name;
    EXPECT_EQ(one->get_subcommand(name)->help(), command->help());
  }
  const std::size_t count = all->get_subcommands({}).size();
  EXPECT_EQ(sluice::cli::make_command(exit_status, "demmo")->get_subcommands({}).size(), count);
}

TEST(Command, AWrongCallIsSaidInOneLineWithStatusTwo) {
  EXPECT_EQ(call("").status, 2);
  const Answer wrong = call("demmo");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.text,
            "sluice: unknown command `demmo`; did you mean `demo`? (sluice --help lists them)\n");
  EXPECT_EQ(call("demo --jobs 0").status, 2);
}

TEST(Command, AWrongCallIsToldByCommandArgumentAndWhatIsAccepted) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"", "", "a command is missing"},
      {"config", "config", "a command is missing"},
      {"status x", "status", "unexpected argument `x`"},
      {"record list x", "record list", "unexpected argument `x`"},
      {"run make -j4", "run", "unexpected argument `-j4`; put -- before the command"},
      {"run", "run", "command is missing"},
      {"set", "set", "job is missing"},
      {"run --priority 1e9 true", "run", "--priority: `1e9` is not a whole number"},
      {"run --priority 5000000000 true", "run", "--priority: `5000000000` is out of range"},
      {"nproc --max 0", "nproc", "--max: `0` is not a whole number from 1 to 100000"},
      {"nproc --max few", "nproc", "--max: `few` is not a whole number from 1 to 100000"},
      {"nproc --max", "nproc", "--max needs a value: a whole number from 1 to 100000"},
      {"nproc --max 1 --max 2", "nproc", "--max is given 2 times; give it once"},
      {"status --every 0", "status", "--every: `0` is not a number from 0.1 to 3600"},
      {"status --json=x", "status", "--json takes no value"},
      {"batch --halt", "batch", "--halt needs a value: WHEN"},
      {"run --key -- true", "run", "--key needs a value: KEY"},
      {"run --key= -- true", "run", "--key needs a value: KEY"},
      {"build --key -- true", "build", "--key needs a value: KEY"},
      {"nproc --max -- 1", "nproc", "--max needs a value: a whole number from 1 to 100000"},
      {"batch --ungroup --tag", "batch", "--ungroup cannot be given with --tag"},
      {"build --alone --socket x true", "build", "--socket cannot be given with --alone"},
      {"build --tokens --priority low true", "build", "--priority cannot be given with --tokens"},
      {"build --key k true", "build", "--key needs --tokens"},
      {"build --tokens --key \"\" true", "build", "--key: must not be empty"},
      {"jobserver --key \"\" true", "jobserver", "--key: must not be empty"},
      {"pause --queue \"\"", "pause", "--queue: must not be empty"},
      {"cancel \"\"", "cancel", "job: must not be empty"},
      {"run --memory \"\" true", "run", "--memory: must not be empty"},
      {"run --wait \"\" true", "run", "--wait: must not be empty"},
      {"run --key \"\" true", "run", "--key: must not be empty"},
      {"run --queue \"\" true", "run", "--queue: must not be empty"},
      {"run --reason a --reason \"\" true", "run", "--reason: must not be empty"},
      {"run --priority \"\" true", "run", "--priority: must not be empty"},
      {"drain --timeout \"\"", "drain", "--timeout: must not be empty"},
      {"batch --joblog \"\" true", "batch", "--joblog: must not be empty"},
      {"serve --config \"\"", "serve", "--config: must not be empty"},
      {"status --every \"\"", "status", "--every: `` is not a number from 0.1 to 3600"},
      {"history --all", "history", "--all needs --errors"},
      {"completion foo", "completion", "shell: `foo` is not one of bash, zsh, fish"},
      {"completion bahs", "completion",
       "shell: `bahs` is not one of bash, zsh, fish; did you mean `bash`?"},
      {"demo --for soon", "demo", "--for: must be a duration such as 30s or 10min, not \"soon\""},
      {"autoscale --max x", "autoscale", "--max: `x` is not a whole number"},
      {"autoscale --rules x", "autoscale", "--rules: `x` is not one of window, starcluster"}};
  for (const auto& [arguments, command, problem] : cases) {
    const std::string name = command.empty() ? "sluice" : "sluice " + command;
    const Answer answer = call(arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_EQ(answer.text, name + ": " + problem + " (see " + name + " --help)\n") << arguments;
  }
}

/// Names the options of a command and its subcommands that take an empty value.
void add_options_that_take_nothing(CLI::App& command, std::vector<std::string>& names) {
  for (CLI::Option* option : command.get_options()) {
    const bool has_value = option->get_items_expected_max() > 0;
    if (has_value && takes_nothing(*option)) names.push_back(option->get_name());
  }
  for (CLI::App* part : command.get_subcommands({})) add_options_that_take_nothing(*part, names);
}

TEST(Command, NoOptionTakesAnEmptyValueButWordsOfACommand) {
  int exit_status = 0;
  std::vector<std::string> names;
  add_options_that_take_nothing(*sluice::cli::make_command(exit_status), names);
  EXPECT_FALSE(names.empty());
  for (const std::string& name : names) EXPECT_EQ(name, "command");
}

TEST(Command, OfTheAutoscalerOnlyTheLabelsMayBeEmpty) {
  CLI::App command;
  sluice::cli::AutoscaleArguments arguments;
  sluice::cli::describe_autoscale(command, arguments);
  std::vector<std::string> names;
  add_options_that_take_nothing(command, names);
  EXPECT_EQ(names, std::vector<std::string>{"--selector"});
}

TEST(Command, HelpThatCannotBeWrittenIsAnError) {
  const Answer answer = answer_of("(" SLUICE_COMMAND " cancel --help >/dev/full)");
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.text.find("cannot write to standard output"), std::string::npos);
}

TEST(Command, EveryErrorOfAFileBeginsWithTheCommand) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"replay", "replay /nosuch"},
      {"replay", "replay --autoscale /nosuch"},
      {"serve", "serve --config /nosuch"},
      {"config show", "config show /nosuch"},
      {"batch", "batch --config /nosuch true"}};
  for (const auto& [command, arguments] : cases) {
    const Answer answer = call(arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_EQ(answer.text,
              "sluice " + command + ": /nosuch: cannot be read: No such file or directory\n");
  }
  const Answer two = call("serve --config " SLUICE_SOURCE "/tests/cli/bad.yaml");
  const std::string line = "sluice serve: " SLUICE_SOURCE "/tests/cli/bad.yaml:";
  EXPECT_TRUE(two.text.starts_with(line + "2:3: ")) << two.text;
  EXPECT_NE(two.text.find("\n" + line + "3:"), std::string::npos) << two.text;
}

TEST(Command, HelpSaysOfAnOptionItsWordsRangeDefaultAndContradictions) {
  // Where a line ends depends on the words before.
  const std::string build =
      std::regex_replace(call("build --help").text, std::regex("\n {30}"), " ");
  for (const char* part : {"--style auto|fifo|pipe|both ", "; default: auto\n", "; 1 to 4097\n",
                           "; only with --alone\n"}) {
    EXPECT_NE(build.find(part), std::string::npos) << part << build;
  }
  const std::string attach = call("attach --help").text;
  EXPECT_NE(attach.find("; not with command\n"), std::string::npos) << attach;
  EXPECT_NE(attach.find("attached; not with --once\n"), std::string::npos) << attach;
}

TEST(Command, ALineOnStandardErrorIsOneWrite) {
  std::array<int, 2> ends{};
  // A socket that preserves the boundaries of writes.
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), 0);
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDERR_FILENO);
    execl(SLUICE_COMMAND, SLUICE_COMMAND, "demmo", nullptr);
    _exit(99);
  }
  waitpid(process, nullptr, 0);
  std::array<char, 4096> buffer{};
  const ssize_t got = recv(ends[0], buffer.data(), buffer.size(), MSG_DONTWAIT);
  for (const int end : ends) close(end);
  ASSERT_GT(got, 0);
  EXPECT_EQ(std::string(buffer.data(), static_cast<std::size_t>(got)),
            "sluice: unknown command `demmo`; did you mean `demo`? (sluice --help lists them)\n");
}

TEST(Command, DoctorEndsWithStatusOneWhereSomethingMustBeMended) {
  const Answer answer = call("doctor --socket " SLUICE_SOURCE "/README.md");
  EXPECT_EQ(answer.status, 1);
  EXPECT_NE(answer.text.find("README.md exists but is not a socket"), std::string::npos)
      << answer.text;
}

TEST(Command, SaysItsVersion) {
  const Answer version = call("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.text.starts_with("sluice 0.")) << version.text;
}

TEST(Command, ConfigCheckPrintsEveryErrorWithItsPlace) {
  const Answer bad = call("config check " SLUICE_SOURCE "/tests/cli/bad.yaml");
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.text.find("bad.yaml:2:3: "), std::string::npos) << bad.text;
  EXPECT_NE(bad.text.find("bad.yaml:3:"), std::string::npos) << bad.text;
  EXPECT_NE(bad.text.find("did you mean `initial`?"), std::string::npos) << bad.text;
}

TEST(Command, ConfigCheckRefusesWhatServeRefusesEachErrorAtOnce) {
  const std::string file = testing::TempDir() + "sluice_check.yaml";
  std::ofstream(file) << "window: {initail: 3}\n"
                         "service:\n"
                         "  group: no-such-group\n"
                         "  allow_uids: [nobody-such, 0, another-such]\n"
                         "  allow_gids: [no-such-either]\n"
                         "  token_file: /no/such/token\n"
                         "  socket: /no/such/folder/sluice.sock\n"
                         "  listen: 127.0.0.1:http-like\n"
                         "state_dir: /dev/null/state\n";
  const Answer bad = call("config check " + file);
  EXPECT_EQ(bad.status, 2);
  for (const char* wrong :
       {":1:10: ", ":3:", "`no-such-group`", "`nobody-such`", "`another-such`", "`no-such-either`",
        "/no/such/token", "/no/such/folder", "the port is a number", "/dev/null is not a folder"}) {
    EXPECT_NE(bad.text.find(wrong), std::string::npos) << wrong << "\n" << bad.text;
  }
  const Answer json = call("config check --json " + file);
  EXPECT_EQ(json.status, 2);
  EXPECT_NE(json.text.find("{\"file\":"), std::string::npos) << json.text;
  EXPECT_NE(json.text.find("\"valid\":false"), std::string::npos) << json.text;
  std::remove(file.c_str());
}

TEST(Command, ATypoInAnOptionIsToldByItsNameAndTheOneThatWasMeant) {
  EXPECT_EQ(call("run --prority 3 -- true").text,
            "sluice run: unknown option `--prority`; did you mean `--priority`? (sluice run --help "
            "lists them)\n");
  EXPECT_EQ(call("run --prority=3 -- true").text, call("run --prority 3 -- true").text);
  EXPECT_EQ(call("batch --jbos 3 true").text,
            "sluice batch: unknown option `--jbos`; did you mean `--jobs`? (sluice batch --help "
            "lists them)\n");
  EXPECT_EQ(call("--versoin").text,
            "sluice: unknown option `--versoin`; did you mean `--version`? (sluice --help lists "
            "them)\n");
  EXPECT_EQ(call("config chekc").text,
            "sluice config: unknown command `chekc`; did you mean `check`? (sluice config --help "
            "lists them)\n");
  for (const char* wrong : {"run --prority 3 -- true", "status -Z", "--versoin", "config chekc"}) {
    EXPECT_EQ(call(wrong).status, 2) << wrong;
  }
}

TEST(Command, WhatBelongsToTheCommandThatIsRunIsNoOptionOfOurs) {
  const Answer batch = call(kBatch + "-q -j 2 -- echo --jbos ::: a");
  EXPECT_EQ(batch.status, 0) << batch.text;
  EXPECT_EQ(batch.text, "--jbos a\n");
  EXPECT_EQ(call(kBatch + "-q echo --nice ::: a").text, "--nice a\n");
  EXPECT_EQ(call(kBatch + "-q --nice -0 true ::: a").status, 0) << "a value with a sign";
}

TEST(Command, AMemoryThatIsNoSizeIsRefusedWithoutADaemon) {
  for (const std::string& command : {std::string("run --socket /nosuch "), kBatch}) {
    const Answer answer = call(command + "--memory 1000000 -- true");
    EXPECT_EQ(answer.status, 2) << command;
    EXPECT_NE(answer.text.find(": --memory must be a size such as 1.5GiB, at most 1048576TiB, not "
                               "\"1000000\"; add the unit: B, KiB"),
              std::string::npos)
        << answer.text;
  }
}

TEST(Command, AValueThatIsNotUtf8IsToldWithItsOption) {
  const std::string bad = "\"$(printf 'a\\377b\\033[31m')\"";
  const std::string told = R"(a\xffb\x1b[31m)";
  const std::vector<std::array<std::string, 4>> cases = {
      {"run", "--key ", "--key", ""},
      {"run", "--key=", "--key", ""},
      {"run", "--queue ", "--queue", ""},
      {"run", "--reason ", "--reason", ""},
      {"run", "--reason ok --reason ", "--reason", ""},
      {"run", "--after ", "--after", ""},
      {"run", "--lock node=", "--lock", "node="},
      {"run", "--param x=", "--param", "x="},
      {"run", "--resource x=", "--resource", "x="},
      {"jobserver", "--daemon --key ", "--key", ""},
      {"jobserver", "--key ", "--key", ""},
      {"build", "--tokens --key ", "--key", ""}};
  for (const auto& [command, options, name, before] : cases) {
    const Answer answer = call(command + " " + options + bad + " -- true");
    EXPECT_EQ(answer.status, 2) << command << " " << options;
    EXPECT_EQ(answer.text, "sluice " + command + ": " + name + ": must be UTF-8: " + before + told +
                               " (see sluice " + command + " --help)\n");
  }
}

TEST(Command, AnUnknownWordIsToldInUtf8) {
  EXPECT_EQ(call("\"$(printf 'a\\377b')\"").text,
            "sluice: unknown command `a?b` (sluice --help lists them)\n");
}

TEST(Command, APathOrACommandMayHaveAnyBytes) {
  EXPECT_EQ(call("config show \"$(printf '/nosuch\\377')\"").text,
            "sluice config show: /nosuch?: cannot be read: No such file or directory\n");
  const Answer batch = call(kBatch + "-q -- printf %s ::: \"$(printf 'a\\377')\"");
  EXPECT_EQ(batch.status, 0) << batch.text;
  EXPECT_EQ(batch.text, "a\xff");
}

TEST(Command, HelpAndVersionAreWordsToo) {
  EXPECT_EQ(call("help").text, call("--help").text);
  EXPECT_EQ(call("help run").text, call("run --help").text);
  EXPECT_EQ(call("help config check").text, call("config check --help").text);
  EXPECT_EQ(call("help").status, 0);
  EXPECT_EQ(call("help rnu").text,
            "sluice: unknown command `rnu`; did you mean `run`? (sluice --help lists them)\n");
  for (const char* spelled : {"--version --json", "--json -V", "version --json"}) {
    const auto object = boost::json::parse(call(spelled).text).as_object();
    EXPECT_EQ(object.at("version").as_string(), sluice::kVersion) << spelled;
    EXPECT_FALSE(object.at("revision").as_string().empty()) << spelled;
  }
  for (const char* spelled : {"version", "-V"}) {
    EXPECT_EQ(call(spelled).text, call("--version").text);
    EXPECT_EQ(call(spelled).status, 0);
  }
}

TEST(Command, BatchTakesItemsThatEndWithNulBytesAsTheyAre) {
  const Answer names = call(kBatch + "-0 -q -k printf '\"<%s>\"' < " + [] {
    const std::string file = testing::TempDir() + "sluice_null";
    std::ofstream(file, std::ios::binary) << std::string("a\nb\0 c\r\0#d\0", 11);
    return file;
  }());
  EXPECT_EQ(names.status, 0);
  EXPECT_EQ(names.text, "<a\nb>< c\r><#d>");
  EXPECT_EQ(call("batch -0 true ::: a").status, 2);
  std::remove((testing::TempDir() + "sluice_null").c_str());
}

TEST(Command, ConfigShowSaysWhereEachValueComesFrom) {
  const Answer shown = call("config show " SLUICE_SOURCE "/examples/sluice.yaml");
  EXPECT_EQ(shown.status, 0) << shown.text;
  EXPECT_NE(shown.text.find("sluice.yaml:"), std::string::npos) << shown.text;
  EXPECT_NE(shown.text.find("default"), std::string::npos) << shown.text;
  EXPECT_EQ(call("config show --json").text.front(), '[');
}

}  // namespace
