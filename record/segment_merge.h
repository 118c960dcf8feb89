#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::record {

/// A segment of linked blocks with the same entries in fewer blocks. Half a second of a quiet
/// daemon compresses badly: there is more to learn from minutes of it. nullopt for a segment with
/// damage, with entries that only a newer Sluice knows, or during which a clock was set: its blocks
/// say when.
std::optional<std::string> merged_segment(std::string_view segment);

}  // namespace sluice::record
