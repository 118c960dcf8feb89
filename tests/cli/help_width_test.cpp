// Every line of every --help fits the terminal that shows it.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/command_line/help_format.h"
#include "cli/terminal/terminal.h"
#include "shell.h"

namespace sluice::cli {
namespace {

std::string help_of(const std::string& words) {
  return testing::answer_of(SLUICE_COMMAND " " + words + "--help").text;
}

/// The help of a subcommand as a terminal of this width gets it.
std::string help_on_terminal(const std::string& words, unsigned short width) {
  const std::string command = "exec " SLUICE_COMMAND " " + words + "--help";
  const winsize size{.ws_row = 24, .ws_col = width, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t process = forkpty(&terminal, nullptr, nullptr, &size);
  if (process == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(99);
  }
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(terminal, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  close(terminal);
  waitpid(process, nullptr, 0);
  std::erase(text, '\r');
  return text;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
  return widest;
}

void expect_within(const std::string& words, const std::string& help, std::size_t columns) {
  EXPECT_NE(help.find("Usage: "), help.npos) << words << ": " << help;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(columns_of(line), columns) << words << ": " << line;
  }
}

/// The words of each subcommand with a blank behind: "", "record ", "record list ".
void append_subcommands(const CLI::App& app, const std::string& words,
                        std::vector<std::string>& all) {
  all.push_back(words);
  for (const CLI::App* command : app.get_subcommands({})) {
    append_subcommands(*command, words + command->get_name() + " ", all);
  }
}

std::vector<std::string> subcommands() {
  int exit_status = 0;
  std::vector<std::string> all;
  append_subcommands(*make_command(exit_status), "", all);
  return all;
}

TEST(HelpWidth, IsThatOfItsTerminalFrom60To120Columns) {
  const auto options = [](const std::string& help) {
    const std::size_t begin = std::min(help.find("Options:\n"), help.size());
    return help.substr(begin, help.find("\n\n", begin) - begin);
  };
  const std::vector<std::array<std::size_t, 3>> cases{
      {20, 50, 60}, {70, 60, 70}, {110, 101, 110}, {300, 111, 120}};
  for (const auto& [width, least, most] : cases) {
    const std::string help = help_on_terminal("build ", static_cast<unsigned short>(width));
    EXPECT_GE(widest_line(options(help)), least) << width;
    EXPECT_LE(widest_line(help), most) << width;
  }
}

TEST(HelpWidth, IsAtMostAHundredColumnsElsewhere) {
  // In processes of their own, whose output is no terminal.
  for (const std::string& words : subcommands()) expect_within(words, help_of(words), 100);
}

TEST(HelpWidth, IsAtMost80ColumnsOnATerminalOf80ForEverySubcommand) {
  EXPECT_GT(subcommands().size(), 30U);
  for (const std::string& words : subcommands()) {
    expect_within(words, help_on_terminal(words, 80), 80);
  }
}

TEST(HelpWidth, AFooterTakesTheWidthThatThereIs) {
  const std::string whole = "not start one, but reads the sensors and the history itself.\n";
  const std::string wide = help_on_terminal("nproc ", 120), narrow = help_on_terminal("nproc ", 60);
  EXPECT_GT(widest_line(wide.substr(wide.find("Prints how many such"))), 100U) << wide;
  EXPECT_NE(narrow.find("Prints how many such jobs fit in addition to those that run,\n"),
            narrow.npos)
      << narrow;
  EXPECT_NE(wide.find(whole), wide.npos) << wide;
}

TEST(Help, OfCommandsThatReadAStateFolderSaysWhatTheirConfigurationIsFor) {
  const std::string place =
      "The daemon's sluice.yaml, used here only for state_dir and service.socket\n";
  for (const char* words :
       {"why ", "record list ", "record tail ", "record export ", "history ", "history forget "}) {
    EXPECT_NE(help_on_terminal(words, 120).find(place), std::string::npos) << words;
  }
  for (const char* words : {"replay ", "whatif "}) {
    const std::string help = help_on_terminal(words, 120);
    EXPECT_EQ(help.find("only for state_dir"), std::string::npos) << words;
    EXPECT_NE(help.find(" to try"), std::string::npos) << words;
  }
}

TEST(HelpLayout, WrapsParagraphsWhereverTheyWereBroken) {
  const std::string text = "one two\nthree four five\n\nsix\n";
  EXPECT_EQ(laid_out(text, 80), "one two three four five\n\nsix\n");
  EXPECT_EQ(laid_out(text, 10), "one two\nthree four\nfive\n\nsix\n");
  EXPECT_EQ(laid_out("", 80), "");
  EXPECT_EQ(laid_out("a\n\n", 80), "a\n\n");
}

TEST(HelpLayout, LeavesExamplesAsTheyAre) {
  const std::string text =
      "Examples:\n  sluice run --key a \\\n      -- ./a-long-name.sh\n  sluice status\n";
  EXPECT_EQ(laid_out(text, 80), text);
  EXPECT_EQ(laid_out(text, 10), text) << "no command is broken";
  EXPECT_EQ(laid_out("as JSON:\n  {\"id\": 1}\nwith id\nand key.\n", 80),
            "as JSON:\n  {\"id\": 1}\nwith id and key.\n");
}

TEST(HelpLayout, WrapsARemarkBehindAnExampleInItsColumn) {
  const std::string text = "  sluice run   when the host has room for it\n";
  EXPECT_EQ(laid_out(text, 80), text);
  EXPECT_EQ(laid_out(text, 32),
            "  sluice run   when the host has\n"
            "               room for it\n");
  EXPECT_EQ(laid_out(text, 16),
            "  sluice run   when the host\n"
            "               has room for it\n")
      << "a column of a word is no column";
}

}  // namespace
}  // namespace sluice::cli
