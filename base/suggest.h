#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// The number of letters to insert, delete, replace or swap with their neighbour to turn one word
/// into the other, ignoring case. Source: optimal string alignment, the restricted
/// Damerau-Levenshtein distance.
std::size_t edit_distance(std::string_view one, std::string_view other);

/// The candidate that was probably meant: the nearest one if at most a third of the letters (but at
/// least one) differ; the first of equally near ones.
std::optional<std::string> closest_word(std::string_view word,
                                        const std::vector<std::string>& candidates);

/// "; did you mean `initial`?" if there is such a candidate, else `otherwise`.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise = "");

/// The text with A to Z in lower case.
std::string lower_case(std::string_view text);

/// The text with a to z in upper case.
std::string upper_case(std::string_view text);

/// "a, b, c", or with another text between them.
template <class Words = std::vector<std::string>>
std::string join_words(const Words& words, std::string_view between = ", ") {
  std::string joined;
  for (const auto& word : words) (joined += joined.empty() ? "" : between) += word;
  return joined;
}

/// "there are a, b", with at most ten names, or "there is none".
std::string there_are(const std::vector<std::string>& names);

/// Untrusted text in backticks, safe for one line of a message: as `printable`, truncated after 60
/// bytes.
std::string quote_text(std::string_view text);

}  // namespace sluice
