// The examples of --help are calls that the command accepts.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/autoscale/options.h"
#include "cli/command.h"
#include "cli/command_line/option_text.h"
#include "cli/declared.h"
#include "cli/workload.h"

namespace sluice::cli {
namespace {

using Words = std::vector<std::string>;

/// The lines below the title in a footer; one that ends in a backslash with the next.
Words examples_in(std::string footer) {
  const std::string title = "Examples:\n", continued = "\\\n";
  const std::size_t begin = footer.find(title);
  if (begin == footer.npos) return {};
  footer.erase(0, begin + title.size());
  footer.resize(std::min(footer.find("\n\n"), footer.size()));
  for (std::size_t at = 0; (at = footer.find(continued)) != footer.npos;) {
    footer.erase(at, footer.find_first_not_of(" \n", at + 1) - at);
  }
  Words lines;
  while (!footer.empty()) {
    const std::size_t end = std::min(footer.find('\n'), footer.size());
    lines.push_back(footer.substr(0, end));
    footer.erase(0, end + 1);
  }
  return lines;
}

/// The commands of a line for a shell, without the remark that follows two blanks.
Words commands_in(const std::string& line) {
  Words commands{""};
  char quote = 0;
  for (std::size_t at = line.find_first_not_of(' '); at < line.size(); ++at) {
    const char byte = line[at];
    if (quote == 0 && line.compare(at, 2, "  ") == 0) break;
    if (quote == 0 && std::string_view("|&;()<>").find(byte) != std::string_view::npos) {
      commands.emplace_back();
      continue;
    }
    if (byte == quote) {
      quote = 0;
    } else if (quote == 0 && (byte == '\'' || byte == '"')) {
      quote = byte;
    }
    commands.back() += byte;
  }
  return commands;
}

/// The words after `sluice` of each call in a line.
std::vector<Words> calls_in(const std::string& line) {
  std::vector<Words> calls;
  for (const std::string& command : commands_in(line)) {
    Words words = split_command(command);
    if (!words.empty() && words.front() == "sudo") words.erase(words.begin());
    if (words.empty() || words.front() != "sluice") continue;
    words.erase(words.begin());
    std::erase(words, "...");
    calls.push_back(std::move(words));
  }
  return calls;
}

/// Ends the parsing before any command's callback, which owns its arguments, runs.
void disarm(CLI::App& app) {
  app.parse_complete_callback([] { throw CLI::Success(); });
}

std::string problem_of_values(const CLI::App& command) {
  const std::pair<const char*, Declared (*)(const Words&)> kinds[] = {
      {"--lock", declared_locks}, {"--resource", declared_resources}, {"--param", declared_params}};
  for (const auto& [name, declared] : kinds) {
    const CLI::Option* option = command.get_option_no_throw(name);
    if (!option) continue;
    const Declared values = declared(option->results());
    if (const auto* problem = std::get_if<std::string>(&values)) return *problem;
  }
  return "";
}

/// Why the command line refuses the words; empty if it does not.
std::string problem_of(CLI::App& app, Words words) {
  disarm(app);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(std::move(words));
  } catch (const CLI::Success&) {
    return problem_of_values(chosen_command(app));
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "it was carried out";
}

/// `sluice autoscale` is a program of its own.
std::string problem_of(Words words) {
  if (!words.empty() && words.front() == "autoscale") {
    words.erase(words.begin());
    CLI::App autoscale;
    AutoscaleArguments arguments;
    describe_autoscale(autoscale, arguments);
    return problem_of(autoscale, std::move(words));
  }
  int exit_status = 0;
  return problem_of(*make_command(exit_status), std::move(words));
}

/// Checks the examples of a command and of those below it, and returns how many calls they make.
std::size_t check_examples(const CLI::App& app) {
  std::size_t count = 0;
  for (const std::string& line : examples_in(app.get_footer())) {
    for (const Words& words : calls_in(line)) {
      EXPECT_EQ(problem_of(words), "") << app.get_name() << ": " << line;
      ++count;
    }
  }
  for (const CLI::App* each : app.get_subcommands({})) count += check_examples(*each);
  return count;
}

TEST(HelpExamples, AreAcceptedByTheCommandLine) {
  int exit_status = 0;
  EXPECT_GT(check_examples(*make_command(exit_status)), 80U);
  CLI::App autoscale;
  AutoscaleArguments arguments;
  describe_autoscale(autoscale, arguments);
  EXPECT_EQ(check_examples(autoscale), 5U);
}

TEST(HelpExamples, OfWhichOneIsWrongWouldBeFound) {
  EXPECT_NE(problem_of({"run", "--lock", "node=exclusive", "--", "true"}), "");
  EXPECT_NE(problem_of({"run", "--nosuch", "--", "true"}), "");
  EXPECT_NE(problem_of({"nosuch"}), "");
  const std::vector<Words> calls{{"run", "--wait", "a b"}, {"status"}};
  EXPECT_EQ(calls_in("  x -j$(sluice run --wait 'a b' >f) | sudo sluice status   sluice it"),
            calls);
  EXPECT_EQ(examples_in("Examples:\n  a \\\n     b\n  c\n\nExit status: 0\n"),
            (Words{"  a b", "  c"}));
}

}  // namespace
}  // namespace sluice::cli
