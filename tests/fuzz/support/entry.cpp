#include <cstddef>
#include <cstdint>

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  sluice::fuzz::one_input({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
