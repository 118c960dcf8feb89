#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sluice {

/// Bytes to and from another process. The deadline given at creation bounds each call. Errors are
/// one line for people.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  /// Sends everything; returns the problem if it cannot.
  virtual std::optional<std::string> write(std::string_view bytes) = 0;
  /// Waits for bytes; returns how many arrived: at least 1, or 0 at the end.
  virtual std::variant<std::size_t, std::string> read(char* into, std::size_t room) = 0;
};

}  // namespace sluice
