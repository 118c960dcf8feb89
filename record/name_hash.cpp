#include "record/name_hash.h"

#include <fcntl.h>
#include <nettle/hmac.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/text.h"

namespace sluice::record {
namespace {

/// Names that Sluice itself gives: sensors, what binds a job, what an operator does, the queue that
/// is always there.
constexpr std::array<std::string_view, 34> kOwnWords{
    "load",        "memory",      "cpu_pressure", "memory_pressure",
    "io_pressure", "cgroup",      "cgroup_cpu",   "cgroup_memory",
    "cgroup_pids", "disk",        "pids",         "starting",
    "pause",       "swap",        "throttled",    "descriptors",
    "window",      "cpu",         "cpu_later",    "cpu_latent",
    "behind",      "global_lock", "default",      "paused",
    "resumed",     "draining",    "frozen",       "cancelled",
    "held_for",    "dependency",  "max_pending",  "invalid",
    "impossible",  "queue_paused"};

constexpr std::string_view kDigits = "0123456789abcdef";

struct NameVisitor {
  const NameHash& by;
  void one(Name& name) const { name.text = by.hashed(name.text); }
  template <typename A, typename B>
  void one(std::pair<A, B>& pair) const {
    (*this)(pair.first, pair.second);
  }
  template <typename T>
  void one(std::optional<T>& maybe) const {
    if (maybe) one(*maybe);
  }
  template <typename T>
  void one(std::vector<T>& items) const {
    for (T& each : items) one(each);
  }
  template <HasFields T>
  void one(T& part) const {
    T::fields(part, *this);
  }
  void one(auto&) const {}
  void operator()(auto&... fields) const { (one(fields), ...); }
};

std::variant<NameHash::Secret, std::string> new_secret(const std::string& path) {
  NameHash::Secret secret{};
  if (getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    return errno_text("random bytes");
  }
  const Descriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return errno_text(path);
  if (write(file.get(), secret.data(), secret.size()) != static_cast<ssize_t>(secret.size())) {
    std::string problem = errno_text(path);
    unlink(path.c_str());
    return problem;
  }
  return secret;
}

}  // namespace

bool is_hash(std::string_view text) {
  return text.size() == 17 && text.front() == '#' &&
         text.find_first_not_of(kDigits, 1) == std::string_view::npos;
}

std::string NameHash::hashed(std::string_view name) const {
  if (name.empty() || std::ranges::find(kOwnWords, name) != kOwnWords.end()) {
    return std::string(name);
  }
  std::array<std::uint8_t, 8> code{};
  hmac_sha256_ctx context{};
  hmac_sha256_set_key(&context, secret_.size(), secret_.data());
  hmac_sha256_update(&context, name.size(), reinterpret_cast<const std::uint8_t*>(name.data()));
  hmac_sha256_digest(&context, code.size(), code.data());
  return "#" + hex_digits(code);
}

void NameHash::hash_names(Entry& entry) const {
  std::visit(
      [this](auto& each) { std::remove_cvref_t<decltype(each)>::fields(each, NameVisitor{*this}); },
      entry);
}

std::variant<NameHash::Secret, std::string> secret_in(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return errno == ENOENT ? new_secret(path) : errno_text(path);
  struct stat facts {};
  NameHash::Secret secret{};
  const bool is_usable = fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode) &&
                         facts.st_uid == geteuid() && (facts.st_mode & 077) == 0;
  if (!is_usable) return path + " is not a file of mode 0600 of this user: move it away";
  if (read(file.get(), secret.data(), secret.size()) != static_cast<ssize_t>(secret.size())) {
    return path + " has no secret of " + std::to_string(secret.size()) + " bytes: move it away";
  }
  return secret;
}

}  // namespace sluice::record
