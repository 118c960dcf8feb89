#include "cli/manual/app_page.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <ranges>
#include <string>

#include "base/roff.h"
#include "base/suggest.h"
#include "cli/command_line/option_text.h"
#include "cli/manual/help_text.h"

namespace sluice::cli {
namespace {

constexpr const char* kExitStatus =
    "0, or 2 for wrong usage or unusable input, with one line that says what and where.";
constexpr const char* kSummary = "decide how much work this host takes on";

std::string bold(const std::string& text) { return "\\fB" + roff_literal(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff_literal(text) + "\\fR"; }

std::string page_name(const CLI::App& app) {
  std::string name = command_name(app);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// A summary starts in lower case, unless it starts with a name.
std::string uncapitalised(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1]))) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string value_tag(const OptionText& text) {
  if (text.words.empty()) return italic(text.value);
  return join_words(text.words | std::views::transform(bold), "|");
}

std::string tag_of(const CLI::Option& option, const OptionText& text) {
  if (text.names.empty()) {
    return italic(option.get_name()) + (option.get_items_expected_max() > 1 ? "..." : "");
  }
  const std::string tag = join_words(text.names | std::views::transform(bold));
  return text.value.empty() ? tag : tag + " " + value_tag(text);
}

std::string full_meaning(const OptionText& text) {
  std::string meaning = text.meaning;
  if (!meaning.ends_with('.')) meaning += '.';
  const bool tells_range = meaning.find(text.range) != std::string::npos;
  if (!tells_range) meaning += " From " + text.range + ".";
  if (!text.fallback.empty()) meaning += " Default: `" + text.fallback + "`.";
  if (!text.needs.empty()) meaning += " Only with `" + join_words(text.needs, "`, `") + "`.";
  if (!text.excludes.empty()) meaning += " Not with `" + join_words(text.excludes, "`, `") + "`.";
  return meaning;
}

std::vector<ManualGroup> option_groups(const CLI::App& app) {
  std::vector<ManualGroup> groups{{}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    const std::string heading = option->get_group() == "Options" ? "" : option->get_group();
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const ManualGroup& each) { return each.heading == heading; });
    if (group == groups.end()) group = groups.insert(groups.end(), {heading, {}});
    const OptionText text = option_text(*option);
    const auto place = option->get_positional() ? group->entries.begin() : group->entries.end();
    group->entries.insert(place, {tag_of(*option, text), full_meaning(text)});
  }
  return groups;
}

std::string synopsis_of(const CLI::App& app) {
  std::string synopsis = bold(command_name(app)) + " [" + italic("options") + "]";
  if (!shown_commands(app).empty()) {
    const std::string command = italic("command");
    synopsis += app.get_require_subcommand_min() > 0 ? " " + command : " [" + command + "]";
  }
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional() || option->get_group().empty()) continue;
    const bool many = option->get_items_expected_max() > 1;
    const std::string name = italic(option->get_name()) + (many ? "..." : "");
    synopsis += option->get_required() ? " " + name : " [" + name + "]";
  }
  return synopsis;
}

std::string own_footer(const CLI::App& app) {
  const std::string footer = app.get_footer();
  const CLI::App* parent = app.get_parent();
  // A subcommand without a footer of its own inherits it.
  return parent && parent->get_footer() == footer ? "" : footer;
}

/// The tag of --help, which need not be said of every part.
std::string tag_of_help() { return bold("-h") + ", " + bold("--help"); }

ManualPart part_of(const CLI::App& app) {
  HelpText help = parse_help(own_footer(app));
  std::string text = app.get_description() + ".";
  if (!help.description.empty()) text += "\n\n" + help.description;
  if (!help.exit_status.empty()) text += "\n\nExit status: " + help.exit_status;
  std::vector<ManualGroup> groups = option_groups(app);
  std::erase_if(groups.front().entries,
                [](const ManualEntry& entry) { return entry.tag == tag_of_help(); });
  return {synopsis_of(app), text, std::move(groups), help.examples};
}

ManualEntry entry_of(const CLI::App& app) {
  return {bold(app.get_name()), app.get_description() + "."};
}

}  // namespace

ManualPage page_of(const CLI::App& app) {
  HelpText help = parse_help(own_footer(app));
  ManualPage page;
  page.name = page_name(app);
  page.summary = uncapitalised(app.get_description());
  page.synopses = {synopsis_of(app)};
  page.description = app.get_description() + ".";
  if (!help.description.empty()) page.description += "\n\n" + help.description;
  for (const CLI::App* command : shown_commands(app)) page.parts.push_back(part_of(*command));
  page.options = option_groups(app);
  page.exit_status = help.exit_status.empty() ? kExitStatus : help.exit_status;
  page.examples = help.examples;
  return page;
}

std::vector<ManualPage> pages_of(const CLI::App& command) {
  std::vector<ManualPage> pages{page_of(command)};
  pages.front().summary = kSummary;
  pages.front().description = command.get_description();
  pages.front().parts.clear();
  for (const CLI::App* each : shown_commands(command)) {
    pages.front().commands.push_back(entry_of(*each));
    // `help` and `version` are told there in full, and have no footer of their own.
    if (each->get_name() == "help" || each->get_name() == "version") continue;
    pages.push_back(page_of(*each));
  }
  return pages;
}

}  // namespace sluice::cli
