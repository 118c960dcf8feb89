#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Text for the macros `man` of groff and mandoc. All functions are pure.

/// Text as it is to appear, such as code: no character in it means anything to roff. The result may
/// not start a line.
std::string roff_literal(std::string_view text);

/// Prose with `code` in bold, for the argument of a macro or within a line.
std::string roff_inline(std::string_view prose);

/// Prose as lines of at most about 80 bytes, which roff fills; ends with a newline.
std::string roff_prose(std::string_view prose);

/// Lines that keep their breaks and blanks, indented; ends with a newline.
std::string roff_code(std::string_view lines);

/// A paragraph whose tag, roff already, hangs before `prose`.
std::string roff_tagged(const std::string& tag, std::string_view prose);

/// A macro with one argument in quotes: `.SH "EXIT STATUS"`.
std::string roff_macro(std::string_view macro, const std::string& argument);

}  // namespace sluice
