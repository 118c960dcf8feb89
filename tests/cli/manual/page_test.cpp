#include "cli/manual/page.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "base/roff.h"
#include "cli/command_line/option_text.h"
#include "cli/manual/app_page.h"
#include "cli/manual/help_text.h"

namespace sluice::cli {
namespace {

const ManualEdition kEdition{.date = "2026-03-01", .version = "0.1.0", .docs = "/usr/share/doc/x"};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Roff, CodeIsBoldAndNothingInItMeansAnythingToRoff) {
  EXPECT_EQ(roff_inline("see `-a 'b\\n'` and --wait"),
            "see \\fB\\-a \\(aqb\\en\\(aq\\fR and \\-\\-wait");
}

TEST(Roff, HyphensInWordsStayHyphensAndOthersAreNamed) {
  EXPECT_EQ(roff_inline("re-read \u00b1 1"), "re-read \\[u00B1] 1");
}

TEST(Roff, NoLineStartsARequest) {
  EXPECT_EQ(roff_code(".x\n'y\n"), ".RS 4\n.nf\n\\&.x\n\\(aqy\n.fi\n.RE\n");
  EXPECT_EQ(roff_prose(".5 of it"), "\\&.5 of it\n");
}

TEST(ManualPage, ALongCommandIsBrokenWhereAShellContinuesIt) {
  const std::string option = " --name 'a value with blanks that is long'";
  EXPECT_EQ(broken_command("sluice run" + option + option),
            "sluice run" + option + " \\\n    " + option.substr(1));
  EXPECT_EQ(broken_command("short -a"), "short -a");
}

TEST(ManualPage, AnExampleStandsBelowWhatItDoes) {
  ManualPage page;
  page.name = "x";
  page.examples = "  x -a    do it\n  x -b\n";
  EXPECT_TRUE(contains(to_roff(page, kEdition),
                       "Do it:\n.RS 4\n.nf\nx \\-a\n.fi\n.RE\n.PP\n.RS 4\n.nf\nx \\-b\n"));
}

TEST(ManualPage, DocumentsAreNamedByTheirInstalledPath) {
  ManualPage page;
  page.name = "x";
  page.description = "See docs/build.md.";
  page.examples = "  x > docs/config.md\n";
  const std::string roff = to_roff(page, kEdition);
  EXPECT_TRUE(contains(roff, "See /usr/share/doc/x/build.md.")) << roff;
  EXPECT_TRUE(contains(roff, "x > docs/config.md")) << roff;
}

TEST(ManualPage, AFooterIsSplitAtItsTitles) {
  const HelpText help = parse_help("It works.\n\nExit status: the command's.\n\nExamples:\n  x\n");
  EXPECT_EQ(help.description, "It works.");
  EXPECT_EQ(help.exit_status, "The command's.");
  EXPECT_EQ(help.examples, "  x");
}

TEST(ManualPage, APlainHelpGivesTheSameParts) {
  const ManualPage page = page_of_help(
      "x: do it\n\nUsage: x [-a]\n\nIt works.\n\n  -a   All of it\n\nEnvironment:\n  A   a\n");
  EXPECT_EQ(page.name, "x");
  EXPECT_EQ(page.summary, "do it");
  EXPECT_EQ(page.description, "It works.");
  ASSERT_EQ(page.options.size(), 1u);
  EXPECT_EQ(page.options.front().entries.front().text, "All of it.");
  EXPECT_EQ(page.environment.front().tag, "\\fBA\\fR");
}

TEST(ManualPage, AnEntryOfAPlainHelpGoesOnInIndentedLines) {
  const ManualPage page = page_of_help(
      "x: do it\n\n  -a   All of it, while\n       nothing  else runs\n  -b   Less\n\n"
      "Environment:\n  A   One and\n      two\n");
  ASSERT_EQ(page.options.size(), 1u);
  const auto& entries = page.options.front().entries;
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].text, "All of it, while nothing  else runs.");
  EXPECT_EQ(entries[1].text, "Less.");
  ASSERT_EQ(page.environment.size(), 1u);
  EXPECT_EQ(page.environment.front().text, "One and two.");
}

TEST(ManualPage, AnOptionTellsItsValuesRangeAndWhatItExcludes) {
  CLI::App app("Do it", "x");
  std::string how;
  int many = 0;
  CLI::Option* first = app.add_option("--how", how, "How")->check(CLI::IsMember({"a", "b"}));
  CLI::Option* second = app.add_option("-n,--many", many, "How many");
  second->type_name("N")->check(CLI::Range(1, 9))->excludes(first);
  EXPECT_EQ(option_text(*first).words, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(option_text(*second).range, "1 to 9");
  const std::string roff = to_roff(page_of(app), kEdition);
  EXPECT_TRUE(contains(roff, "\\fB\\-\\-how\\fR \\fBa\\fR|\\fBb\\fR")) << roff;
  EXPECT_TRUE(contains(roff, "\\fB\\-n\\fR, \\fB\\-\\-many\\fR \\fIN\\fR")) << roff;
  EXPECT_TRUE(contains(roff, "From 1 to 9.\nNot with \\fB\\-\\-how\\fR.")) << roff;
}

}  // namespace
}  // namespace sluice::cli
