#include "config/manual.h"

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/parse.h"
#include "base/roff.h"
#include "base/suggest.h"
#include "config/reference_text.h"
#include "config/schema.h"

namespace sluice {
namespace {

/// The cells of "| a | b |", without blanks around them.
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  row.remove_prefix(1);
  for (std::size_t bar = row.find('|'); bar != row.npos; bar = row.find('|')) {
    cells.emplace_back(trimmed(row.substr(0, bar)));
    row.remove_prefix(bar + 1);
  }
  return cells;
}

/// "| duration | `30s` | notes |" as a tagged paragraph.
std::string row_entry(std::string_view row) {
  const std::vector<std::string> cells = cells_of(row);
  if (cells.size() < 3) return {};
  const std::string notes = cells[2].empty() ? "" : "; " + cells[2];
  return roff_tagged("\\fI" + roff_literal(cells[0]) + "\\fR", cells[1] + notes + ".");
}

constexpr std::size_t kCodeColumns = 62;

/// The introduction: headings, paragraphs, fenced code and one table of three columns.
class Introduction {
 public:
  std::string roff(std::string_view markdown) {
    while (!markdown.empty()) convert_line(next_line(markdown));
    end_paragraph();
    return std::move(roff_);
  }

 private:
  void convert_line(std::string_view line) {
    if (line.starts_with("```")) return fence();
    if (in_code_) {
      code_ += wrapped_line(line, kCodeColumns, "\n    ") + "\n";
    } else if (line.starts_with("## ")) {
      end_paragraph();
      roff_ += roff_macro("SH", upper_case(roff_inline(line.substr(3))));
      first_ = true;
    } else if (line.empty() || line.starts_with("# ") || line.starts_with("<!--")) {
      end_paragraph();
    } else if (line.starts_with('|')) {
      take_row(line);
    } else {
      prose_ += std::string(line) + "\n";
    }
  }

  void take_row(std::string_view row) {
    if (row.starts_with("| type |") || row.starts_with("| --- |")) return;
    end_paragraph();
    roff_ += row_entry(row);
    first_ = false;
  }

  void fence() {
    end_paragraph();
    in_code_ = !in_code_;
    if (in_code_) return;
    roff_ += ".PP\n" + roff_code(code_);
    code_.clear();
  }

  void end_paragraph() {
    if (prose_.empty()) return;
    roff_ += (first_ ? "" : ".PP\n") + roff_prose(prose_);
    prose_.clear();
    first_ = false;
  }

  std::string roff_, prose_, code_;
  bool in_code_ = false;
  bool first_ = true;
};

std::string entries(const SchemaSection& section, SectionKeys which) {
  std::string roff;
  for (const SchemaOption& option : section.options) {
    if (option.common != (which == SectionKeys::common)) continue;
    const std::string fallback = option.required ? "required" : "default: " + default_text(option);
    roff += roff_tagged("\\fB" + roff_literal(key_in(section, option.text.path)) + "\\fR",
                        values_text(option) + "; " + fallback + ".") +
            ".br\n" + roff_prose(meaning_text(option)) + ".br\n" +
            roff_prose("Example: `" + option.text.example + "`");
  }
  return roff;
}

std::string keys() {
  const ConfigSchema& schema = config_schema();
  std::string roff;
  bool common_printed = false;
  for (const SchemaSection& section : schema.sections) {
    if (!common_printed && section.path.starts_with("sensors.")) {
      roff += roff_macro("SS", "Every sensor") + roff_prose(kCommonText) +
              entries(section, SectionKeys::common);
      common_printed = true;
    }
    roff += roff_macro("SS", roff_inline(section_name(section))) +
            roff_prose(section_text(section)) + entries(section, SectionKeys::own);
  }
  return roff;
}

}  // namespace

std::string config_manual(const ManualMarks& marks) {
  return ".TH SLUICE.YAML 5 " + marks.date + " \"Sluice " + marks.version +
         "\" \"File Formats\"\n.nh\n.ad l\n"
         ".SH NAME\nsluice.yaml \\- configuration of Sluice\n"
         ".SH DESCRIPTION\n" +
         Introduction().roff(config_introduction()) + ".SH KEYS\n" + keys() + ".SH FILES\n" +
         roff_tagged("\\fI/etc/sluice/sluice.yaml\\fR",
                     "The configuration of the daemon that systemd starts.") +
         roff_tagged("\\fI" + roff_literal(marks.docs + "/defaults.md") + "\\fR",
                     "The reasons for the defaults, with measurements.") +
         ".SH SEE ALSO\n.BR sluice (1),\n.BR sluice\\-config (1),\n.BR sluice\\-serve (1)\n";
}

}  // namespace sluice
