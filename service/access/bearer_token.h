#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace sluice {

/// The secret by which a client over TCP may do what root may. It cannot be read back, so that it
/// cannot be shown by mistake.
class BearerToken {
 public:
  /// Shorter ones could be guessed by trying.
  static constexpr std::size_t kLeast = 16;
  static constexpr std::size_t kMost = 1024;

  /// The text of a token file: the token, and perhaps the end of the line. Otherwise what is wrong
  /// with it, without a word of it. Pure.
  static std::variant<BearerToken, std::string> parse(std::string_view text);

  /// The token of a file which root or this process's user keeps, nobody else may change, and not
  /// everybody may read. Otherwise one line that names the file and says what to do.
  static std::variant<BearerToken, std::string> read(const std::string& path);

  /// Whether the value of an Authorization header carries it ("Bearer TOKEN", RFC 6750). How long
  /// this takes depends on the length of what was sent, and not on what of it is right. Pure.
  bool is_in(std::string_view authorization) const;

 private:
  explicit BearerToken(std::string token) : token_(std::move(token)) {}

  std::string token_;
};

}  // namespace sluice
