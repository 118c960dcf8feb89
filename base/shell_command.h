#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// The words of a line that means the same to every POSIX shell as to exec: blanks between words
/// of letters, digits and `_@%+:,./=-`, whose first one is a program's name: no assignment, no
/// keyword, no command built into a shell. `true` and `false` count as programs where they stand
/// alone. None: a shell has to run it.
std::optional<std::vector<std::string>> plain_words(std::string_view line);

/// What runs a line: its words if they are plain, else `sh -c LINE`.
std::vector<std::string> argv_of_line(const std::string& line);

/// The text as one word for a shell, quoted only where that is needed.
std::string shell_quoted(std::string_view text);
std::string shell_quoted(const std::vector<std::string>& words);

}  // namespace sluice
