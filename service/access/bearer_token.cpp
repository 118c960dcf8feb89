#include "service/access/bearer_token.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/suggest.h"

namespace sluice {
namespace {

constexpr std::string_view kScheme = "bearer ";

bool may_stand_in_header(char c) { return c > ' ' && c < 127; }

/// Compares every byte of `given`, whatever the bytes before it were.
bool same_secret(std::string_view given, std::string_view secret) {
  volatile unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t at = 0; at < given.size(); ++at) {
    const auto one = static_cast<unsigned char>(given[at]);
    const auto other = static_cast<unsigned char>(secret[at % secret.size()]);
    difference = difference | static_cast<unsigned>(one ^ other);
  }
  return difference == 0;
}

std::string octal(mode_t mode) {
  std::string text;
  for (int shift = 6; shift >= 0; shift -= 3) {
    text += static_cast<char>('0' + ((mode >> shift) & 7));
  }
  return text;
}

/// Why the file is unfit for a secret; empty if it is fit.
std::string unsafe(const struct stat& facts) {
  if (!S_ISREG(facts.st_mode)) return "is not a file";
  if (facts.st_uid != 0 && facts.st_uid != geteuid()) {
    return "belongs to user " + std::to_string(facts.st_uid) +
           ", which could change the token: chown it to root or the daemon's user";
  }
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return "can be written by others (mode " + octal(facts.st_mode) + "): chmod 600";
  }
  if ((facts.st_mode & S_IROTH) != 0) {
    return "is world-readable (mode " + octal(facts.st_mode) +
           "): chmod 600 and create a new token";
  }
  return "";
}

}  // namespace

std::variant<BearerToken, std::string> BearerToken::parse(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  const bool fits = text.size() >= kLeast && text.size() <= kMost;
  if (fits && std::all_of(text.begin(), text.end(), may_stand_in_header)) {
    return BearerToken(std::string(text));
  }
  return "must hold one line of " + std::to_string(kLeast) + " to " + std::to_string(kMost) +
         " printable characters without blanks: `openssl rand -hex 32` prints one";
}

std::variant<BearerToken, std::string> BearerToken::read(const std::string& path) {
  // Opening a fifo would block the daemon.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return errno_text(path);
  struct stat facts {};
  std::string problem = fstat(file.get(), &facts) == 0 ? unsafe(facts) : std::strerror(errno);
  if (!problem.empty()) return path + " " + problem;
  // Slightly more than the longest token.
  const auto text = read_up_to(file.get(), kMost + 3);
  if (!text) return errno_text(path);
  auto token = parse(*text);
  if (const auto* wrong = std::get_if<std::string>(&token)) return path + " " + *wrong;
  return token;
}

bool BearerToken::is_in(std::string_view authorization) const {
  const std::string_view scheme = authorization.substr(0, kScheme.size());
  if (lower_case(scheme) != kScheme) return false;
  return same_secret(authorization.substr(kScheme.size()), token_);
}

}  // namespace sluice
