#include "base/target.h"

#include <arpa/inet.h>

#include <cctype>
#include <charconv>

#include "base/suggest.h"

namespace sluice {
namespace {

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    const std::string_view digits = text.substr(at + 1, 2);
    unsigned char byte = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (read.ptr - digits.data() != 2 || byte == 0) return std::nullopt;
    decoded += static_cast<char>(byte);
    at += 2;
  }
  return decoded;
}

/// Removes and returns the text before the first `separator`.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view front = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return front;
}

}  // namespace

std::optional<Target> parse_target(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  if (text.starts_with(scheme)) {
    const std::size_t path = text.find('/', scheme.size());
    text = path == std::string_view::npos ? "/" : text.substr(path);
  }
  if (!text.starts_with('/')) return std::nullopt;
  Target target;
  std::string_view path = cut(text, '?');
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    auto decoded = percent_decode(segment);
    if (!decoded) return std::nullopt;
    target.path.push_back(*std::move(decoded));
    path.remove_prefix(segment.size());
  }
  while (!text.empty()) {
    std::string_view pair = cut(text, '&');
    auto name = percent_decode(cut(pair, '='));
    auto value = percent_decode(pair);
    if (!name || !value) return std::nullopt;
    if (name->empty()) continue;
    const auto [given, is_new] = target.query.try_emplace(*name, *std::move(value));
    if (!is_new && target.repeated.empty()) target.repeated = given->first;
  }
  return target;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '.' || c == '_' || c == '~') {
      encoded += c;
    } else {
      encoded += '%';
      encoded += digits[byte >> 4];
      encoded += digits[byte & 15];
    }
  }
  return encoded;
}

std::string host_name(std::string_view header) {
  if (header.starts_with('[')) {
    header.remove_prefix(1);
    header = header.substr(0, header.find(']'));
  } else {
    header = header.substr(0, header.find(':'));
  }
  return lower_case(header);
}

bool is_address(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

}  // namespace sluice
