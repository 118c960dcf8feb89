#include "sluice/locks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/suggest.h"
#include "vocabulary/phrases.h"

namespace sluice {
namespace {

/// A mode without names, and the flag it sets.
struct Mode {
  std::string_view word;
  bool LevelLocks::*flag;
};
constexpr std::array kModes{Mode{"unknown-shared", &LevelLocks::unknown_shared},
                            Mode{"all-shared", &LevelLocks::all_shared},
                            Mode{"unknown-exclusive", &LevelLocks::unknown_exclusive},
                            Mode{"all-exclusive", &LevelLocks::all_exclusive}};

constexpr std::string_view kShared = "shared:";
constexpr std::string_view kExclusive = "exclusive:";

/// Adds the names of a list "a,b", which may be empty; returns the error, if any.
std::string add_names(std::string_view list, std::vector<std::string>& names) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    const bool ends_in_comma = comma != list.npos && comma + 1 == list.size();
    const std::string problem = problem_of_name(ends_in_comma ? "" : name);
    if (!problem.empty()) return "a name " + problem;
    if (names.size() == kMostLockNames) {
      return "there must be at most " + std::to_string(kMostLockNames) + " names";
    }
    names.emplace_back(name);
    list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
  }
  return "";
}

/// Adds the locks of one word; returns the error, if any.
std::string add_word(std::string_view word, LevelLocks& locks) {
  if (word == "none") return "";
  if (word.starts_with(kShared)) return add_names(word.substr(kShared.size()), locks.shared);
  if (word.starts_with(kExclusive)) {
    return add_names(word.substr(kExclusive.size()), locks.exclusive);
  }
  const auto mode = std::ranges::find(kModes, word, &Mode::word);
  if (mode == kModes.end()) {
    return "the mode must be none, shared:a,b, unknown-shared, all-shared, exclusive:a,b, "
           "unknown-exclusive or all-exclusive, and not " +
           quote_text(word);
  }
  locks.*mode->flag = true;
  return "";
}

void collapse(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

void print_word(std::string& text, std::string_view word) {
  if (!text.empty()) text += ' ';
  text += word;
}

void print_names(std::string& text, std::string_view front, const std::vector<std::string>& names) {
  if (names.empty()) return;
  print_word(text, front);
  for (const std::string& name : names) text += (&name == names.data() ? "" : ",") + name;
}

}  // namespace

std::variant<LevelLocks, std::string> parse_locks(std::string level, std::string_view text) {
  LevelLocks locks;
  locks.level = std::move(level);
  const std::vector<std::string_view> words = words_in(text);
  for (const std::string_view word : words) {
    if (std::string problem = add_word(word, locks); !problem.empty()) return problem;
  }
  if (words.empty()) return "there must be a mode, such as none or unknown-shared";
  if (locks.shared.size() + locks.exclusive.size() > kMostLockNames) {
    return "there must be at most " + std::to_string(kMostLockNames) + " names";
  }
  collapse(locks.shared);
  collapse(locks.exclusive);
  return locks;
}

std::string to_text(const LevelLocks& locks) {
  std::string text;
  print_names(text, kShared, locks.shared);
  print_names(text, kExclusive, locks.exclusive);
  for (const Mode& mode : kModes) {
    if (locks.*mode.flag) print_word(text, mode.word);
  }
  return text.empty() ? "none" : text;
}

std::string problem_of_name(std::string_view name) {
  if (name.empty()) return "must not be empty";
  if (name.size() > kMostNameBytes) {
    return "must have at most " + std::to_string(kMostNameBytes) + " bytes";
  }
  const bool bad = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == ',';
  });
  return bad ? "must not have control characters, blanks or commas" : "";
}

}  // namespace sluice
