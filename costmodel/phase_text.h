#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// A part of a run as stored in the history, and the level of something in it.
struct StoredPhase {
  Duration until{0};  ///< Its end, after the start of the run.
  double level = 0;   ///< >= 0
};

/// "4:0.01 5:1": ends in seconds, to the millisecond, and levels to so many `digits`.
std::string phases_to_text(std::span<const StoredPhase> phases, int digits);

/// nullopt for anything that `phases_to_text` does not write, more phases than `most`, or a level
/// above `most_level`.
std::optional<std::vector<StoredPhase>> parse_phases(std::string_view text, std::size_t most,
                                                     double most_level);

}  // namespace sluice
