#include "cli/jobserver/client_styles.h"

#include <algorithm>
#include <chrono>

#include "base/enum_names.h"
#include "sensors/child_process.h"
#include "sluice/units.h"

namespace sluice::cli {
namespace {

/// How long a program may take to report its version.
constexpr Duration kPatience = std::chrono::seconds(5);

/// The older of two; that which is known if only one is.
std::optional<jobserver::Version> older(const std::optional<jobserver::Version>& one,
                                        const std::optional<jobserver::Version>& two) {
  if (one && two) return std::min(one, two);
  return one ? one : two;
}

std::optional<jobserver::Version> ask_for_version(const std::string& program) {
  const auto asked = run_for_output({program, "--version"}, kPatience);
  const CommandOutcome* said = value_in(asked);
  return said ? jobserver::parse_version(said->output) : std::nullopt;
}

/// Of the command and of whatever it may call: each may start the make that the path finds.
jobserver::ClientVersions versions_for(jobserver::ClientKind kind, const std::string& program,
                                       ProgramVersions& all) {
  jobserver::ClientVersions versions;
  versions.make = all.of("make");
  if (kind == jobserver::ClientKind::make) versions.make = older(all.of(program), versions.make);
  versions.gcc = all.of(kind == jobserver::ClientKind::gcc ? program : "gcc");
  if (kind == jobserver::ClientKind::cargo) versions.cargo = all.of(program);
  if (kind == jobserver::ClientKind::ninja) versions.ninja = all.of(program);
  return versions;
}

}  // namespace

std::optional<jobserver::Version> ProgramVersions::of(const std::string& program) {
  const auto [found, is_new] = asked_.try_emplace(program);
  if (is_new) found->second = ask_for_version(program);
  return found->second;
}

jobserver::ClientStyles client_styles(const std::string& style, jobserver::ClientKind kind,
                                      const std::string& program, ProgramVersions& versions) {
  // Not old_pipe: nobody asks for that.
  if (const auto given = find_named<jobserver::AuthStyle>(style, 3)) return {*given, *given};
  const jobserver::ClientVersions known = versions_for(kind, program, versions);
  return {jobserver::style_for(kind, known), jobserver::cargo_style_for(kind, known)};
}

}  // namespace sluice::cli
