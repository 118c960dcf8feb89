#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cli/command_line/cli11.h"

namespace sluice::cli {

/// The first word of the hidden call by which the scripts of the shells ask what may stand at the
/// cursor: `sluice __complete WORDS...`, without the program's name; the last word is the one at
/// the cursor, perhaps empty.
inline constexpr const char* kCompletionCall = "__complete";

/// Whether `kCompletionCall` is the first word of the call. Pure.
bool asks_for_completion(const std::vector<std::string>& words);

struct CompletionWord {
  std::string word;
  std::string meaning;  ///< One line; empty for none.
};

/// What may stand at the cursor.
struct Completion {
  /// `command`: the words from `command_at` on are a command of another program, for which the
  /// shell knows more.
  enum class Kind { words, files, folders, command };

  Kind kind = Kind::words;
  std::size_t command_at = 0;
  std::vector<CompletionWord> words;  ///< Those that fit what was typed.
  /// The name of the value that is wanted, "JOB", for words that only a daemon or a file knows.
  std::string value;
  std::string before;  ///< Stands before that value in the word at the cursor: "--queue=".
  std::map<std::string, std::string> given;  ///< Options that have a value already: "--socket".
};

/// Reads a call up to the cursor, as `carry_out` would. `words` are those after
/// `kCompletionCall`. Pure.
Completion complete(const CLI::App& app, const std::vector<std::string>& words);

/// Adds the words that start with `typed`, after `completion.before`. Pure.
void add_fitting(Completion& completion, const std::vector<CompletionWord>& words,
                 const std::string& typed);

/// The answer to a script: "words", "files", "folders" or "command N", then a line "WORD\tMEANING"
/// for each word. Pure.
std::string completion_text(const Completion& completion);

}  // namespace sluice::cli
