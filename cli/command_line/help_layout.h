#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::cli {

/// The description or the footer of a help for a screen of that many columns. Paragraphs are
/// wrapped, wherever their lines end in the source. A line that begins with a blank, as examples
/// do, stays as it is; but a remark behind it, after two blanks, is wrapped in its own column.
/// Pure.
std::string laid_out(std::string_view text, std::size_t columns);

}  // namespace sluice::cli
