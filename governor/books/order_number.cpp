#include "governor/books/order_number.h"

namespace sluice {

std::optional<OrderNumber> number_between(const std::optional<OrderNumber>& below,
                                          std::optional<OrderNumber> above) {
  if (!below) return OrderNumber{above->whole - 1, 1};
  // After all present jobs is still before all future ones: those get larger whole numbers.
  if (!above) above = OrderNumber{below->whole, ~std::uint64_t{0}};
  __extension__ using Wide = unsigned __int128;
  const Wide low = below->part;
  const Wide high = static_cast<Wide>(above->whole - below->whole) << 64 | above->part;
  if (high - low < 4) return std::nullopt;
  // Odd, so that it never equals an arrival number.
  const Wide middle = (low + (high - low) / 2) | 1;
  return OrderNumber{below->whole + static_cast<std::int64_t>(middle >> 64),
                     static_cast<std::uint64_t>(middle)};
}

}  // namespace sluice
