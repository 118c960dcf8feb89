#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// The words of a line that means the same to every POSIX shell as to exec: words of letters,
/// digits and `_@%+:,./=-` separated by blanks, the first of which names a program and is not an
/// assignment, keyword or shell builtin. `true` and `false` count as programs if they stand alone.
/// nullopt if a shell has to run the line.
std::optional<std::vector<std::string>> plain_words(std::string_view line);

/// The argv for a line: its words if they are plain, else `sh -c LINE`.
std::vector<std::string> argv_of_line(const std::string& line);

/// The text as one shell word, quoted only if needed.
std::string shell_quoted(std::string_view text);
std::string shell_quoted(const std::vector<std::string>& words);

/// The texts as execve wants arguments and environment: with a null pointer at the end. Valid as
/// long as the texts, which must not be changed through it.
std::vector<char*> pointers_to(const std::vector<std::string>& texts);

}  // namespace sluice
