#include "cli/command_line/help_format.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "base/parse.h"
#include "base/suggest.h"
#include "cli/command_line/option_text.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

/// As wide as the terminal, as long as lines are readable.
std::size_t help_columns() {
  constexpr std::size_t kElsewhere = 100, kLeast = 60, kMost = 120;
  const std::size_t width = style_of(STDOUT_FILENO).width;
  return width == 0 ? kElsewhere : std::clamp(width, kLeast, kMost);
}

/// Less would be a word on each line.
constexpr std::size_t kLeastRemark = 16;

/// Where the remark behind an example begins; npos if there is none.
std::size_t remark_in(std::string_view line) {
  const std::size_t gap = line.find("  ", line.find_first_not_of(' '));
  return gap == line.npos ? gap : line.find_first_not_of(' ', gap);
}

std::string example(std::string_view line, std::size_t columns) {
  const std::size_t remark = remark_in(line);
  if (remark == line.npos || columns_of(line) <= columns) return std::string(line) + "\n";
  const std::string command(line.substr(0, remark));
  const std::size_t indent = columns_of(command);
  const std::size_t width = std::max(columns, indent + kLeastRemark) - indent;
  return command +
         join_words(wrapped(line.substr(remark), width), "\n" + std::string(indent, ' ')) + "\n";
}

/// Appends a paragraph to the text, and empties it.
void take_paragraph(std::string& text, std::string& paragraph, std::size_t columns) {
  if (!paragraph.empty()) text += join_words(wrapped(paragraph, columns), "\n") + "\n";
  paragraph.clear();
}

}  // namespace

std::string laid_out(std::string_view text, std::size_t columns) {
  std::string result, paragraph;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!line.empty() && line.front() != ' ') {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
      continue;
    }
    take_paragraph(result, paragraph, columns);
    result += example(line, columns);
  }
  take_paragraph(result, paragraph, columns);
  return result;
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  const OptionText text = option_text(*option);
  if (text.value.empty() || option->get_positional()) return "";
  return " " + (text.words.empty() ? text.value : join_words(text.words, "|"));
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  const OptionText text = option_text(*option);
  std::string all = text.meaning;
  if (option->get_positional() && !text.words.empty()) all += ": " + join_words(text.words);
  const auto add = [&](const char* before, const std::string& note, const std::string& told) {
    if (!note.empty() && text.meaning.find(told) == std::string::npos) all += before + note;
  };
  const std::string needs = join_words(text.needs), excludes = join_words(text.excludes);
  add("; ", text.range, text.range);
  add("; default: ", text.fallback, "default: ");
  add("; only with ", needs, needs);
  add("; not with ", excludes, "not with ");
  return meaning(all);
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  std::stringstream out;
  CLI::detail::format_help(out, command->get_display_name(true),
                           meaning(command->get_description()), get_column_width());
  return out.str();
}

std::string HelpFormat::make_description(const CLI::App* command) const {
  return laid_out(CLI::Formatter::make_description(command), help_columns());
}

std::string HelpFormat::make_footer(const CLI::App* command) const {
  return laid_out(CLI::Formatter::make_footer(command), help_columns());
}

std::string HelpFormat::meaning(const std::string& text) const {
  std::string words = text;
  std::replace(words.begin(), words.end(), '\n', ' ');
  return join_words(wrapped(words, help_columns() - get_column_width()), "\n");
}

}  // namespace sluice::cli
