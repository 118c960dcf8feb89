#include "base/roff.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace sluice {
namespace {

constexpr std::size_t kLine = 78;

/// The code point that starts at `at`, and how many bytes it has.
struct Point {
  std::uint32_t value;
  std::size_t bytes;
};

Point point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (at + bytes > text.size() || bytes == 1) return {lead, 1};
  std::uint32_t value = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) value = (value << 6U) | (byte(at + i) & 0x3fU);
  return {value, bytes};
}

std::string named(std::uint32_t point) {
  char name[16];
  std::snprintf(name, sizeof name, "\\[u%04X]", static_cast<unsigned>(point));
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
    const Point point = point_at(text, at);
    const char letter = text[at];
    if (point.bytes > 1) {
      result += named(point.value);
    } else if (const char* escape = escape_of(letter)) {
      result += escape;
    } else if (letter == '-' && (kind == Kind::code || is_minus(text, at))) {
      result += "\\-";
    } else if (letter == '\'' && kind == Kind::code) {
      result += "\\(aq";
    } else {
      result += letter;
    }
    at += point.bytes;
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
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += guarded(roff_literal(lines.substr(0, end))) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text + ".fi\n.RE\n";
}

std::string roff_tagged(const std::string& tag, std::string_view prose) {
  return ".TP\n" + guarded(tag) + "\n" + roff_prose(prose);
}

std::string roff_macro(std::string_view macro, const std::string& argument) {
  return "." + std::string(macro) + " \"" + argument + "\"\n";
}

}  // namespace sluice
