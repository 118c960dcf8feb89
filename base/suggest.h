#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// How many letters must be inserted, deleted, replaced or swapped with their neighbour to turn
/// one word into the other; upper and lower case are the same. Source: optimal string alignment,
/// the restricted Damerau-Levenshtein distance.
std::size_t edit_distance(std::string_view one, std::string_view other);

/// The candidate that was probably meant: the nearest one if at most a third of the letters (but
/// one is always allowed) differ; the first of equally near ones.
std::optional<std::string> closest_word(std::string_view word,
                                        const std::vector<std::string>& candidates);

/// The text with A to Z in lower case.
std::string lower_case(std::string_view text);

/// "a, b, c"
std::string join_words(const std::vector<std::string>& words);

/// Foreign text in backticks, fit for one line of a message: cut after 60 bytes, without control
/// characters.
std::string quote_text(std::string_view text);

}  // namespace sluice
