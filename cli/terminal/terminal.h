#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::cli {

enum class Colour { none, red, green, yellow, bold, dim };

enum class Charset { utf8, ascii };

/// How text is shown: on a terminal with colours and its size, otherwise plain and unbounded.
struct Style {
  bool coloured = false;
  std::size_t width = 0;   ///< Columns; 0: unbounded.
  std::size_t height = 0;  ///< Lines; 0: unbounded.
  Charset charset = Charset::utf8;
};

/// The style of a file descriptor; NO_COLOR and TERM=dumb switch colours off, a locale without
/// UTF-8 what is not ASCII.
Style style_of(int fd);

std::string painted(const Style& style, Colour colour, std::string_view text);

/// "[####------]": the filled part of `cells`, within [0, 1].
std::string bar(double part, std::size_t cells);

/// Columns that the text takes on a terminal: two for a wide character, none for a mark over
/// another one or an escape sequence.
std::size_t columns_of(std::string_view text);

/// Foreign text, fit for one line of a terminal and for JSON: printable() of base/text.h, uncut.
std::string harmless(std::string_view text);

/// With a '?' for each column of what is not ASCII, and a '.' for the ellipsis of `cut`.
std::string ascii(std::string_view text);

/// Padded with blanks on the right to `columns`.
std::string padded(std::string_view text, std::size_t columns);

/// Cut to `columns`, with an ellipsis where something is lost; 0: as it is.
std::string cut(std::string_view text, std::size_t columns);

/// "0.4 s", "12.3 s", "4 min 05 s", "2 h 03 min".
std::string duration_text(double seconds);

}  // namespace sluice::cli
