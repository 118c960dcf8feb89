#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "record/entry.h"

namespace sluice::record {

/// Hashes names with a secret of this host: the same name always gives the same hash, and nobody
/// without the secret can try names. Words of Sluice's own, such as the names of its sensors, stay
/// as they are.
class NameHash {
 public:
  using Secret = std::array<unsigned char, 32>;

  explicit NameHash(const Secret& secret) : secret_(secret) {}

  /// "#" and 16 hexadecimal digits; empty for an empty name.
  std::string hashed(std::string_view name) const;
  void hash_names(Entry& entry) const;

 private:
  Secret secret_;
};

/// Whether a text looks like what `NameHash::hashed` makes of a name.
bool is_hash(std::string_view text);

/// The secret in this file, made with mode 0600 if there is none; or the problem.
std::variant<NameHash::Secret, std::string> secret_in(const std::string& path);

}  // namespace sluice::record
