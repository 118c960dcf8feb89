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
std::optional<Version> older(const std::optional<Version>& one, const std::optional<Version>& two) {
  if (one && two) return std::min(one, two);
  return one ? one : two;
}

/// Of the command and of whatever it may call: each may start the make that the path finds.
ClientVersions versions_for(ClientKind kind, const std::string& program) {
  ClientVersions versions;
  versions.make = program_version("make");
  const bool is_other_make = kind == ClientKind::make && program != "make";
  if (is_other_make) versions.make = older(program_version(program), versions.make);
  versions.gcc = program_version(kind == ClientKind::gcc ? program : "gcc");
  if (kind == ClientKind::cargo) versions.cargo = program_version(program);
  if (kind == ClientKind::ninja) versions.ninja = program_version(program);
  return versions;
}

}  // namespace

std::optional<Version> program_version(const std::string& program) {
  const auto asked = run_for_output({program, "--version"}, kPatience);
  const CommandOutcome* said = value_in(asked);
  return said ? parse_version(said->output) : std::nullopt;
}

ClientStyles client_styles(const std::string& style, ClientKind kind, const std::string& program) {
  // Not old_pipe: nobody asks for that.
  if (const auto given = find_named<AuthStyle>(style, 3)) return {*given, *given};
  const ClientVersions versions = versions_for(kind, program);
  return {style_for(kind, versions), cargo_style_for(kind, versions)};
}

}  // namespace sluice::cli
