#include "cli/terminal/terminal.h"

#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/parse.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sluice::cli {
namespace {

constexpr char kEscape = '\x1b';

constexpr std::size_t kMarks = 8;
using Marks = std::array<std::string_view, kMarks>;

constexpr Marks kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr Marks kAscii{"_", ".", ",", "-", "~", "=", "*", "#"};

/// Columns of a non-ASCII character according to the C library: 2 for Chinese or an emoji, 0 for a
/// combining mark. 1 if the C library does not know or has no UTF-8 locale.
std::size_t width_of(std::string_view character) {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
  if (!utf8) return 1;
  const locale_t before = uselocale(utf8);
  wchar_t code = 0;
  mbstate_t state{};
  const bool is_whole =
      mbrtowc(&code, character.data(), character.size(), &state) == character.size();
  const int columns = is_whole ? wcwidth(code) : -1;
  uselocale(before);
  return columns < 0 ? 1 : static_cast<std::size_t>(columns);
}

/// A character, or an escape sequence, which takes no columns.
struct Character {
  std::string_view bytes;
  std::size_t columns;
};

/// Removes the first one from the rest of a text, which is not empty.
Character take_character(std::string_view& rest) {
  const bool is_escape = rest.front() == kEscape;
  std::size_t size = is_escape ? std::min(rest.find('m'), rest.size() - 1) + 1 : 1;
  while (!is_escape && size < rest.size() && continues_utf8(rest[size])) ++size;
  const std::string_view bytes = rest.substr(0, size);
  rest.remove_prefix(size);
  return {bytes, is_escape ? 0 : size == 1 ? 1 : width_of(bytes)};
}

/// The terminal's charset from the locale variables; the first one set counts.
Charset charset_of_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string locale = lower_case(value);
    const bool is_utf8 = locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
    return is_utf8 ? Charset::utf8 : Charset::ascii;
  }
  return Charset::ascii;
}

}  // namespace

Style style_of(int fd) {
  if (!isatty(fd)) return {};
  winsize size{};
  const bool known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const char* term = std::getenv("TERM");
  const char* no_colour = std::getenv("NO_COLOR");
  const bool dumb = !term || std::string_view(term) == "dumb";
  return {!dumb && !(no_colour && *no_colour), known ? size.ws_col : std::size_t{80},
          known ? size.ws_row : std::size_t{24}, charset_of_locale()};
}

std::string painted(const Style& style, Colour colour, std::string_view text) {
  if (!style.coloured || colour == Colour::none) return std::string(text);
  const std::string code = std::to_string(static_cast<int>(colour));
  return "\x1b[" + code + "m" + std::string(text) + "\x1b[0m";
}

std::string bar(double part, std::size_t cells) {
  const double within = std::isfinite(part) ? std::clamp(part, 0.0, 1.0) : 1.0;
  const auto filled = static_cast<std::size_t>(std::lround(within * static_cast<double>(cells)));
  return "[" + std::string(filled, '#') + std::string(cells - filled, '-') + "]";
}

std::string sparkline(const std::vector<std::optional<double>>& values, double full,
                      Charset charset) {
  const Marks& marks = charset == Charset::utf8 ? kBlocks : kAscii;
  std::string line;
  for (const std::optional<double>& value : values) {
    if (!value || !std::isfinite(*value)) {
      line += ' ';
      continue;
    }
    const double part = full > 0 ? std::clamp(*value / full, 0.0, 1.0) : 0;
    line += marks[static_cast<std::size_t>(std::lround(part * (kMarks - 1.0)))];
  }
  return line;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) columns += take_character(text).columns;
  return columns;
}

std::string harmless(std::string_view text) { return printable(text, std::string_view::npos); }

std::string lines_after(const std::string& before, std::string_view text) {
  std::string lines;
  while (!text.empty()) lines += before + harmless(next_line(text)) + "\n";
  return lines;
}

std::string ascii(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [character, columns] = take_character(text);
    const bool is_plain = static_cast<unsigned char>(character.front()) < 0x80;
    if (is_plain) {
      result += character;
    } else {
      result += character == "…" ? "." : std::string(columns, '?');
    }
  }
  return result;
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t taken = columns_of(text);
  return std::string(text) + std::string(taken < columns ? columns - taken : 0, ' ');
}

std::string padded_left(std::string_view text, std::size_t columns) {
  const std::size_t taken = columns_of(text);
  return std::string(taken < columns ? columns - taken : 0, ' ') + std::string(text);
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], columns_of(row[column]));
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      const bool first = column == 0, last = column + 1 == row.size();
      text += first ? padded(row[column], widths[column])
                    : "  " + (last ? row[column] : padded_left(row[column], widths[column]));
    }
    text += "\n";
  }
  return text;
}

std::string cut(std::string_view text, std::size_t columns) {
  if (columns == 0 || columns_of(text) <= columns) return std::string(text);
  std::string result;
  std::size_t taken = 0;
  bool painted_text = false;
  while (!text.empty()) {
    const Character character = take_character(text);
    if (taken + character.columns >= columns) break;
    taken += character.columns;
    painted_text = painted_text || character.bytes.front() == kEscape;
    result += character.bytes;
  }
  return result + "…" + (painted_text ? "\x1b[0m" : "");
}

std::string shortened(std::string_view name, std::size_t columns) {
  const std::size_t all = columns_of(name);
  if (columns == 0 || all <= columns) return std::string(name);
  const std::size_t last = (columns - 1) / 3, first = columns - 1 - last;
  std::string begin, end;
  std::size_t passed = 0;
  while (!name.empty()) {
    const Character character = take_character(name);
    if (passed + character.columns <= first) {
      begin += character.bytes;
    } else if (passed >= all - last) {
      end += character.bytes;
    }
    passed += character.columns;
  }
  return begin + "…" + end;
}

std::vector<std::string> broken(std::string_view text, std::size_t columns) {
  std::vector<std::string> pieces{""};
  std::size_t taken = 0;
  while (!text.empty()) {
    const Character character = take_character(text);
    if (columns > 0 && taken > 0 && taken + character.columns > columns) {
      pieces.emplace_back();
      taken = 0;
    }
    pieces.back() += character.bytes;
    taken += character.columns;
  }
  return pieces;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    std::string& line = lines.back();
    if (columns > 0 && !line.empty() && columns_of(line) + 1 + columns_of(word) > columns) {
      lines.emplace_back(word);
    } else {
      line += (line.empty() ? "" : " ") + std::string(word);
    }
  }
  return lines;
}

}  // namespace sluice::cli
