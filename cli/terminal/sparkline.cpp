#include "cli/terminal/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace sluice::cli {
namespace {

constexpr std::size_t kMarks = 8;
using Marks = std::array<std::string_view, kMarks>;

constexpr Marks kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr Marks kAscii{"_", ".", ",", "-", "~", "=", "*", "#"};

}  // namespace

std::string sparkline(const std::vector<std::optional<double>>& values, double full,
                      Charset charset) {
  const Marks& marks = charset == Charset::utf8 ? kBlocks : kAscii;
  std::string line;
  for (const std::optional<double>& value : values) {
    if (!value || !std::isfinite(*value)) {
      line += ' ';
      continue;
    }
    const double part = full > 0 ? std::clamp(*value / full, 0.0, 1.0) : 0;
    line += marks[static_cast<std::size_t>(std::lround(part * (kMarks - 1.0)))];
  }
  return line;
}

}  // namespace sluice::cli
