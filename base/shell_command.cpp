#include "base/shell_command.h"

#include <algorithm>
#include <array>

#include "base/parse.h"

namespace sluice {
namespace {

/// Builtins and keywords of sh, dash, bash, ksh or zsh as sh, in ASCII order.
constexpr std::array<std::string_view, 81> kShellWords{
    ".",        ":",         "[",        "alias",   "bg",       "bind",    "break",    "builtin",
    "caller",   "case",      "cd",       "chdir",   "command",  "compgen", "complete", "compopt",
    "continue", "coproc",    "declare",  "dirs",    "disown",   "do",      "done",     "echo",
    "elif",     "else",      "enable",   "esac",    "eval",     "exec",    "exit",     "export",
    "fc",       "fg",        "fi",       "for",     "function", "getopts", "hash",     "help",
    "history",  "if",        "in",       "jobs",    "kill",     "let",     "local",    "logout",
    "mapfile",  "nameref",   "newgrp",   "popd",    "print",    "printf",  "pushd",    "pwd",
    "read",     "readarray", "readonly", "return",  "select",   "set",     "shift",    "shopt",
    "source",   "suspend",   "test",     "then",    "time",     "times",   "trap",     "type",
    "typeset",  "ulimit",    "umask",    "unalias", "unset",    "until",   "wait",     "whence",
    "while"};
static_assert(std::is_sorted(kShellWords.begin(), kShellWords.end()));

bool needs_no_quotes(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_@%+:,./=-").find(c) != std::string_view::npos;
}

bool names_a_program(const std::vector<std::string>& words) {
  const std::string& first = words.front();
  if (first == "true" || first == "false") return words.size() == 1;
  if (first.front() == '%' || first.find('=') != std::string::npos) return false;
  return !std::binary_search(kShellWords.begin(), kShellWords.end(), first);
}

}  // namespace

std::optional<std::vector<std::string>> plain_words(std::string_view line) {
  const auto plain = [](char c) { return c == ' ' || c == '\t' || needs_no_quotes(c); };
  if (!std::all_of(line.begin(), line.end(), plain)) return std::nullopt;
  std::vector<std::string> words;
  for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
    words.emplace_back(word);
  }
  if (words.empty() || !names_a_program(words)) return std::nullopt;
  return words;
}

std::vector<std::string> argv_of_line(const std::string& line) {
  if (auto words = plain_words(line)) return *std::move(words);
  return {"sh", "-c", line};
}

std::string shell_quoted(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), needs_no_quotes))
    return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace sluice
