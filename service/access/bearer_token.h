#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace sluice {

/// The secret that lets a client over TCP do what root may do. It cannot be read back, so it cannot
/// be shown by mistake.
class BearerToken {
 public:
  /// Shorter ones could be guessed by brute force.
  static constexpr std::size_t kLeast = 16;
  static constexpr std::size_t kMost = 1024;

  /// Parses the text of a token file: the token, optionally followed by a line end. Otherwise
  /// returns the problem, without any part of the token. Pure.
  static std::variant<BearerToken, std::string> parse(std::string_view text);

  /// Reads the token from a file that root or this process's user owns, that nobody else may
  /// change, and that not everybody may read. Otherwise returns one line that names the file and
  /// says what to do.
  static std::variant<BearerToken, std::string> read(const std::string& path);

  /// Whether the value of an Authorization header carries the token ("Bearer TOKEN", RFC 6750).
  /// Takes a time that depends on the length of what was sent, but not on how much of it is right.
  /// Pure.
  bool is_in(std::string_view authorization) const;

 private:
  explicit BearerToken(std::string token) : token_(std::move(token)) {}

  std::string token_;
};

}  // namespace sluice
