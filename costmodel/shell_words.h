#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A shell's view of a line, as far as it matters for telling jobs apart: words without their
/// quotes, and operators. Nothing is expanded.
struct ShellWord {
  enum class Kind { word, separator, redirection };
  Kind kind = Kind::word;
  std::string text;  ///< `;`, `&&`, `|`, `(` and the like for a separator; `>`, `2>` for the last.
};

/// Pure; accepts any text. An unclosed quote ends with the line.
std::vector<ShellWord> shell_words(std::string_view line);

}  // namespace sluice
