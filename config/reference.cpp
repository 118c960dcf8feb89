#include "config/reference.h"

#include <algorithm>
#include <string_view>

#include "config/reference_text.h"
#include "config/schema.h"

namespace sluice {
namespace {

constexpr std::size_t kLongestCell = 200;
constexpr std::size_t kDocColumns = 100;

/// True at blanks outside code, unless the next line would start a list.
bool may_break(std::string_view text, std::size_t blank) {
  const auto ticks = std::count(text.begin(), text.begin() + blank, '`');
  return ticks % 2 == 0 && std::string_view("-+*#|>0123456789").find(text[blank + 1]) == text.npos;
}

/// Wrapped as prose; all lines except the first start with `indent`.
std::string wrapped(std::string_view text, const std::string& indent = {}) {
  std::string lines;
  while (text.size() > kDocColumns) {
    std::size_t end = text.npos;
    for (std::size_t blank = text.find(' '); blank != text.npos;
         blank = text.find(' ', blank + 1)) {
      if (blank > kDocColumns && end != text.npos) break;
      if (may_break(text, blank)) end = blank;
    }
    if (end == text.npos) break;
    lines += std::string(text.substr(0, end)) + "\n" + indent;
    text.remove_prefix(end + 1);
  }
  return lines + std::string(text);
}

/// Escapes bars, which would end the cell and leave code unclosed.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

bool fits_cell(const SchemaOption& option) {
  return cell(meaning_text(option)).size() <= kLongestCell;
}

std::string first_sentence(const std::string& text) { return text.substr(0, text.find(". ") + 1); }

std::string print_row(const SchemaSection& section, const SchemaOption& option) {
  const std::string doc =
      fits_cell(option) ? meaning_text(option) : first_sentence(option.text.doc) + " More below.";
  return "| `" + key_in(section, option.text.path) + "` | " + cell(values_text(option)) + " | " +
         cell(default_text(option)) + " | " + cell(doc) + " | `" + cell(option.text.example) +
         "` |\n";
}

constexpr std::string_view kTableHead =
    "| key | value | default | meaning, and why this default | example |\n"
    "| --- | --- | --- | --- | --- |\n";

/// One row per option; a text too long for its cell follows the table in full.
std::string print_table(const SchemaSection& section, SectionKeys which) {
  std::string rows(kTableHead);
  std::string texts;
  for (const SchemaOption& option : section.options) {
    if (option.common != (which == SectionKeys::common)) continue;
    rows += print_row(section, option);
    if (fits_cell(option)) continue;
    const std::string key = key_in(section, option.text.path);
    texts += "\n" + wrapped("- `" + key + "`: " + meaning_text(option), "  ");
  }
  return rows + (texts.empty() ? "" : texts + "\n");
}

/// Prints the options common to all sensors once; the sensors' sections omit them.
std::string print_common(const SchemaSection& section) {
  return "\n## Every sensor\n\n" + std::string(kCommonText) + "\n\n" +
         print_table(section, SectionKeys::common);
}

std::string print_section(const SchemaSection& section) {
  return "\n## " + section_name(section) + "\n\n" + wrapped(section_text(section)) + "\n\n" +
         print_table(section, SectionKeys::own);
}

}  // namespace

std::string config_reference_markdown() {
  const ConfigSchema& schema = config_schema();
  std::string text = config_introduction();
  bool common_printed = false;
  for (const SchemaSection& section : schema.sections) {
    if (!common_printed && section.path.starts_with("sensors.")) {
      text += print_common(section);
      common_printed = true;
    }
    text += print_section(section);
  }
  return text;
}

}  // namespace sluice
