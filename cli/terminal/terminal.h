#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

/// The numbers are those of the escape sequences.
enum class Colour { none = 0, bold = 1, dim = 2, red = 31, green = 32, yellow = 33 };

enum class Charset { utf8, ascii };

/// How to show text: with colours and within the terminal's size, or plain and unbounded elsewhere.
struct Style {
  bool coloured = false;
  std::size_t width = 0;   ///< Columns; 0: unbounded.
  std::size_t height = 0;  ///< Lines; 0: unbounded.
  Charset charset = Charset::utf8;
};

/// The style of a descriptor. NO_COLOR and TERM=dumb switch colours off; a locale without UTF-8
/// selects ASCII.
Style style_of(int fd);

std::string painted(const Style& style, Colour colour, std::string_view text);

/// "[####------]": fills `part`, clamped to [0, 1], of `cells`.
std::string bar(double part, std::size_t cells);

/// One column per value, from the lowest mark for 0 to the highest for `full` and above; a blank
/// for nullopt.
std::string sparkline(const std::vector<std::optional<double>>& values, double full,
                      Charset charset);

/// Columns that the text takes on a terminal: two for a wide character, none for a combining mark
/// or an escape sequence.
std::size_t columns_of(std::string_view text);

/// Foreign text made safe for one line of a terminal and for JSON: printable() of base/text.h,
/// uncut.
std::string harmless(std::string_view text);

/// The lines of foreign text, each of them harmless and after `before`.
std::string lines_after(const std::string& before, std::string_view text);

/// Replaces each non-ASCII column by '?', and the ellipsis of `cut` by '.'.
std::string ascii(std::string_view text);

/// Padded with blanks on the right to `columns`.
std::string padded(std::string_view text, std::size_t columns);

/// Padded with blanks on the left to `columns`, as numbers are.
std::string padded_left(std::string_view text, std::size_t columns);

/// Aligns the columns of a table, two blanks apart: the first and the last to the left, numbers to
/// the right. Each row has as many as the first.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// Cuts to `columns` and marks the cut with an ellipsis; 0: no cut.
std::string cut(std::string_view text, std::size_t columns);

/// Cuts a name to `columns` and marks the cut with an ellipsis, after which a third of it is left:
/// names differ at their ends. For text without escape sequences; 0: no cut.
std::string shortened(std::string_view name, std::size_t columns);

/// The text in pieces of at most `columns`, broken anywhere; 0: one piece.
std::vector<std::string> broken(std::string_view text, std::size_t columns);

/// Wraps words into lines of at most `columns`; 0: one line. Never breaks a word.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

}  // namespace sluice::cli
