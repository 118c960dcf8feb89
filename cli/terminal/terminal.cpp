#include "cli/terminal/terminal.h"

#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "base/utf8.h"

namespace sluice::cli {
namespace {

constexpr char kEscape = '\x1b';

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

/// The end and width of the character at a position; an escape sequence takes no columns.
struct Character {
  std::size_t end;
  std::size_t columns;
};

Character character_at(std::string_view text, std::size_t at) {
  if (text[at] == kEscape) {
    const auto end = text.find('m', at);
    return {end == std::string_view::npos ? text.size() : end + 1, 0};
  }
  std::size_t end = at + 1;
  while (end < text.size() && continues_utf8(text[end])) ++end;
  return {end, end == at + 1 ? 1 : width_of(text.substr(at, end - at))};
}

/// The terminal's charset from the locale variables; the first one set counts.
Charset charset_of_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    std::string locale = value;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
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

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    columns += character.columns;
    at = character.end;
  }
  return columns;
}

std::string harmless(std::string_view text) { return printable(text, std::string_view::npos); }

std::string ascii(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto [end, columns] = character_at(text, at);
    const std::string_view character = text.substr(at, end - at);
    const bool is_plain = static_cast<unsigned char>(character.front()) < 0x80;
    if (is_plain) {
      result += character;
    } else {
      result += character == "…" ? "." : std::string(columns, '?');
    }
    at = end;
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
      const std::string blanks(widths[column] - columns_of(row[column]), ' ');
      const bool first = column == 0, last = column + 1 == row.size();
      text += first ? row[column] + blanks : "  " + (last ? "" : blanks) + row[column];
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
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (taken + character.columns >= columns) break;
    taken += character.columns;
    painted_text = painted_text || text[at] == kEscape;
    result += text.substr(at, character.end - at);
    at = character.end;
  }
  return result + "…" + (painted_text ? "\x1b[0m" : "");
}

std::string shortened(std::string_view name, std::size_t columns) {
  const std::size_t all = columns_of(name);
  if (columns == 0 || all <= columns) return std::string(name);
  const std::size_t last = (columns - 1) / 3, first = columns - 1 - last;
  std::string begin, end;
  std::size_t passed = 0;
  for (std::size_t at = 0; at < name.size();) {
    const Character character = character_at(name, at);
    const std::string_view bytes = name.substr(at, character.end - at);
    if (passed + character.columns <= first) {
      begin += bytes;
    } else if (passed >= all - last) {
      end += bytes;
    }
    passed += character.columns;
    at = character.end;
  }
  return begin + "…" + end;
}

std::vector<std::string> broken(std::string_view text, std::size_t columns) {
  std::vector<std::string> pieces{""};
  std::size_t taken = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (columns > 0 && taken > 0 && taken + character.columns > columns) {
      pieces.emplace_back();
      taken = 0;
    }
    pieces.back() += text.substr(at, character.end - at);
    taken += character.columns;
    at = character.end;
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

std::string duration_text(double seconds) {
  char text[48];
  const auto whole = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  if (seconds < 59.95) {
    std::snprintf(text, sizeof text, "%.1f s", std::max(seconds, 0.0));
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld h %02lld min", whole / 3600, whole % 3600 / 60);
  }
  return text;
}

}  // namespace sluice::cli
