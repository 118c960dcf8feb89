#include "cli/command_line/help_layout.h"

#include <algorithm>

#include "base/parse.h"
#include "base/suggest.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

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

}  // namespace sluice::cli
