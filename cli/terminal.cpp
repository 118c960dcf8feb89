#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace sluice::cli {
namespace {

constexpr char kEscape = '\x1b';

/// Where the character that starts at `at` ends: an escape sequence takes no column.
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
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return {end, 1};
}

/// A character of UTF-8: how many bytes it has, and between what its second one must lie. Source:
/// The Unicode Standard 15.0, table 3-7, which leaves out surrogates, characters that are written
/// longer than they need be, and those above U+10FFFF.
struct Utf8 {
  std::size_t length = 0;  ///< 0: none begins so.
  unsigned char least = 0x80, most = 0xbf;
};

/// Other than the table, what begins with 0xc2 leaves out the control characters U+0080 to U+009F.
Utf8 utf8_that_begins_with(unsigned char lead) {
  if (lead >= 0x20 && lead < 0x7f) return {1};
  if (lead < 0xc2 || lead > 0xf4) return {};
  if (lead == 0xc2) return {2, 0xa0};
  if (lead < 0xe0) return {2};
  if (lead == 0xe0) return {3, 0xa0};
  if (lead == 0xed) return {3, 0x80, 0x9f};
  if (lead < 0xf0) return {3};
  if (lead == 0xf0) return {4, 0x90};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {4};
}

/// Bytes of the character that a text begins with; 0: it is none that may be shown.
std::size_t length_of_harmless(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const Utf8 character = utf8_that_begins_with(byte(0));
  if (character.length > text.size()) return 0;
  if (character.length > 1 && (byte(1) < character.least || byte(1) > character.most)) return 0;
  for (std::size_t at = 2; at < character.length; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
  }
  return character.length;
}

/// Of the terminal, as the variables of the locale say: the first that is set counts.
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
  const char* code = "0";
  switch (colour) {
    case Colour::none:
      break;
    case Colour::red:
      code = "31";
      break;
    case Colour::green:
      code = "32";
      break;
    case Colour::yellow:
      code = "33";
      break;
    case Colour::bold:
      code = "1";
      break;
    case Colour::dim:
      code = "2";
      break;
  }
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
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

std::string harmless(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = length_of_harmless(text);
    result += length > 0 ? text.substr(0, length) : "?";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string ascii(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = character_at(text, at).end;
    const std::string_view character = text.substr(at, end - at);
    const bool is_plain = static_cast<unsigned char>(character.front()) < 0x80;
    result += is_plain ? character : character == "…" ? "." : "?";
    at = end;
  }
  return result;
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t taken = columns_of(text);
  return std::string(text) + std::string(taken < columns ? columns - taken : 0, ' ');
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
    painted_text = painted_text || character.columns == 0;
    result += text.substr(at, character.end - at);
    at = character.end;
  }
  return result + "…" + (painted_text ? "\x1b[0m" : "");
}

std::string duration_text(double seconds) {
  char text[48];
  const auto whole = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  if (seconds < 60) {
    std::snprintf(text, sizeof text, "%.1f s", std::max(seconds, 0.0));
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld h %02lld min", whole / 3600, whole % 3600 / 60);
  }
  return text;
}

}  // namespace sluice::cli
