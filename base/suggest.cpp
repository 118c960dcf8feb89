#include "base/suggest.h"

#include <algorithm>
#include <span>

#include "base/text.h"

namespace sluice {
namespace {

// Longer than all our words, so it is no misspelling of one: comparing would waste time.
constexpr std::size_t kLongestWord = 40;
constexpr std::size_t kLongestQuote = 60;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before(other.size() + 1), last(other.size() + 1), row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const bool same = lower(one[i - 1]) == lower(other[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(one[i - 1]) == lower(other[j - 2]) &&
                           lower(one[i - 2]) == lower(other[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[other.size()];
}

std::optional<std::string> closest_word(std::string_view word,
                                        const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::optional<std::string> closest;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least || distance >= candidate.size()) continue;
    least = distance;
    closest = candidate;
  }
  return closest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise) {
  const auto meant = closest_word(word, candidates);
  return meant ? "; did you mean `" + *meant + "`?" : otherwise;
}

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  return lowered;
}

std::string upper_case(std::string_view text) {
  std::string raised(text);
  for (char& letter : raised) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return raised;
}

std::string there_are(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 10;
  if (names.empty()) return "there is none";
  return (names.size() == 1 ? "there is " : "there are ") +
         join_words(std::span(names).first(std::min(names.size(), kMost))) +
         (names.size() > kMost ? ", …" : "");
}

std::string quote_text(std::string_view text) {
  const std::string quoted = printable(text, kLongestQuote);
  return "`" + quoted + (quoted.size() < text.size() ? "…" : "") + "`";
}

}  // namespace sluice
