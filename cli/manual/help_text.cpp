#include "cli/manual/help_text.h"

#include <cctype>
#include <cstddef>
#include <string_view>

#include "base/parse.h"
#include "base/roff.h"

namespace sluice::cli {
namespace {

std::vector<std::string> paragraphs_of(std::string text) {
  std::vector<std::string> paragraphs;
  text += "\n\n";
  for (std::size_t end = text.find("\n\n"); end != std::string::npos; end = text.find("\n\n")) {
    if (end > 0) paragraphs.push_back(text.substr(0, end));
    text.erase(0, text.find_first_not_of('\n', end));
  }
  return paragraphs;
}

/// Removes `title` from the front of a paragraph; false if it does not start so.
bool take_title(std::string& paragraph, std::string_view title) {
  if (!paragraph.starts_with(title)) return false;
  paragraph.erase(0,
                  paragraph.find_first_not_of(title == "Examples:" ? "\n" : " \n", title.size()));
  return true;
}

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

/// "  -h, --help   Print this help" and "  NAME   meaning"; lines that are indented further than
/// the first one continue the entry before them.
std::vector<ManualEntry> entries_of(const std::string& block) {
  std::vector<ManualEntry> entries;
  const std::size_t indent = block.find_first_not_of(' ');
  for (std::string_view rest = block; !rest.empty();) {
    const std::string line(next_line(rest));
    const std::size_t tag = line.find_first_not_of(' ');
    if (tag == std::string::npos) continue;
    if (tag > indent && !entries.empty()) {
      entries.back().text += " " + line.substr(tag);
      continue;
    }
    const std::size_t gap = line.find("  ", tag);
    if (gap == std::string::npos) continue;
    entries.push_back({"\\fB" + roff_literal(line.substr(tag, gap - tag)) + "\\fR",
                       line.substr(line.find_first_not_of(' ', gap))});
  }
  for (ManualEntry& each : entries) each.text += ".";
  return entries;
}

}  // namespace

HelpText parse_help(const std::string& text) {
  HelpText parsed;
  for (std::string paragraph : paragraphs_of(text)) {
    if (take_title(paragraph, "Examples:")) {
      parsed.examples = paragraph;
    } else if (take_title(paragraph, "Exit status:")) {
      parsed.exit_status = sentence(paragraph);
    } else {
      parsed.description += (parsed.description.empty() ? "" : "\n\n") + paragraph;
    }
  }
  return parsed;
}

ManualPage page_of_help(const std::string& help) {
  ManualPage page;
  std::string rest;
  for (std::string paragraph : paragraphs_of(help)) {
    const std::size_t colon = paragraph.find(": ");
    if (page.name.empty() && colon != std::string::npos) {
      page.name = paragraph.substr(0, colon);
      page.summary = paragraph.substr(colon + 2);
    } else if (take_title(paragraph, "Usage:")) {
      const std::size_t blank = std::min(paragraph.find(' '), paragraph.size());
      page.synopses = {"\\fB" + roff_literal(paragraph.substr(0, blank)) + "\\fR" +
                       roff_literal(paragraph.substr(blank))};
    } else if (take_title(paragraph, "Environment:")) {
      page.environment = entries_of(paragraph);
    } else if (paragraph.starts_with("  -")) {
      page.options = {{"", entries_of(paragraph)}};
    } else {
      rest += paragraph + "\n\n";
    }
  }
  HelpText text = parse_help(rest);
  page.description = std::move(text.description);
  page.exit_status = std::move(text.exit_status);
  page.examples = std::move(text.examples);
  return page;
}

}  // namespace sluice::cli
