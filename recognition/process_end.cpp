#include "recognition/process_end.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

namespace sluice {
namespace {

constexpr Bytes kWorthKilling{std::uint64_t{64} << 20};

}  // namespace

Outcome outcome_of(const ProcessEnd& end, const JobUsage& usage) {
  if (!end.has_ended) return Outcome::unknown;
  if (end.status) {
    const bool is_killed = WIFSIGNALED(*end.status) && WTERMSIG(*end.status) == SIGKILL;
    if (is_killed && end.kills > 0) return Outcome::oom;
    return *end.status == 0 ? Outcome::ok : Outcome::failed;
  }
  const bool may_be_killed = end.kills > 0 && usage.peak_memory >= kWorthKilling;
  return may_be_killed ? Outcome::unknown : Outcome::ok;
}

std::string name_of_run(const std::string& key) {
  std::string name = key.substr(0, key.rfind(':'));
  std::ranges::replace(name, ':', ' ');
  return name;
}

}  // namespace sluice
