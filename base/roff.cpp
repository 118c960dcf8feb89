#include "base/roff.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>

#include "base/parse.h"
#include "base/utf8.h"

namespace sluice {
namespace {

constexpr std::size_t kLine = 78;

/// A character of several bytes, by its code point.
std::string named(std::string_view sequence) {
  unsigned point = static_cast<unsigned char>(sequence[0]) & (0x7fU >> sequence.size());
  for (const char byte : sequence.substr(1)) {
    point = (point << 6U) | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  char name[16];
  std::snprintf(name, sizeof name, "\\[u%04X]", point);
  return name;
}

/// What would not be shown as it is, also in prose.
const char* escape_of(char letter) {
  constexpr std::string_view letters = "\\~^`\"";
  constexpr std::array escapes{"\\e", "\\(ti", "\\(ha", "\\(ga", "\\(dq"};
  const std::size_t at = letters.find(letter);
  return at == letters.npos ? nullptr : escapes[at];
}

/// A hyphen in prose is one; a minus starts an option.
bool is_minus(std::string_view prose, std::size_t at) {
  return at == 0 || std::string_view(" ([{=,-/").find(prose[at - 1]) != std::string_view::npos ||
         (at + 1 < prose.size() && prose[at + 1] == '-');
}

enum class Kind { prose, code };

std::string in_roff(std::string_view text, Kind kind) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = std::max<std::size_t>(utf8_length(text.substr(at)), 1);
    const char letter = text[at];
    if (bytes > 1) {
      result += named(text.substr(at, bytes));
    } else if (const char* escape = escape_of(letter)) {
      result += escape;
    } else if (letter == '-' && (kind == Kind::code || is_minus(text, at))) {
      result += "\\-";
    } else if (letter == '\'' && kind == Kind::code) {
      result += "\\(aq";
    } else {
      result += letter;
    }
    at += bytes;
  }
  return result;
}

/// A line that starts with a dot or a quote would be a request.
std::string guarded(const std::string& line) {
  return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

bool ends_sentence(const std::string& word) { return word.ends_with('.') && !word.ends_with(".."); }

}  // namespace

std::string roff_literal(std::string_view text) { return in_roff(text, Kind::code); }

std::string roff_inline(std::string_view prose) {
  std::string result;
  Kind kind = Kind::prose;
  while (true) {
    const std::size_t tick = prose.find('`');
    const std::string part = in_roff(prose.substr(0, tick), kind);
    result += kind == Kind::code ? "\\fB" + part + "\\fR" : part;
    if (tick == std::string_view::npos) return result;
    kind = kind == Kind::code ? Kind::prose : Kind::code;
    prose.remove_prefix(tick + 1);
  }
}

std::string roff_prose(std::string_view prose) {
  const std::string text = roff_inline(prose);
  std::string lines, line;
  const auto end_line = [&] {
    if (!line.empty()) lines += guarded(line) + "\n";
    line.clear();
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (line.size() + word.size() >= kLine) end_line();
    line += (line.empty() ? "" : " ") + word;
    if (ends_sentence(word)) end_line();
  }
  end_line();
  return lines;
}

std::string roff_code(std::string_view lines) {
  std::string text = ".RS 4\n.nf\n";
  while (!lines.empty()) text += guarded(roff_literal(next_line(lines))) + "\n";
  return text + ".fi\n.RE\n";
}

std::string roff_tagged(const std::string& tag, std::string_view prose) {
  return ".TP\n" + guarded(tag) + "\n" + roff_prose(prose);
}

std::string roff_macro(std::string_view macro, const std::string& argument) {
  return "." + std::string(macro) + " \"" + argument + "\"\n";
}

}  // namespace sluice
