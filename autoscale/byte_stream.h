#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sluice {

/// Bytes to and from another process, each call bounded by the deadline it was made with. Failures
/// are one line for people.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  /// Sends all of it; what is wrong if it cannot.
  virtual std::optional<std::string> write(std::string_view bytes) = 0;
  /// Waits for some bytes; how many came, at least 1 unless it was the end.
  virtual std::variant<std::size_t, std::string> read(char* into, std::size_t room) = 0;
};

}  // namespace sluice
