#include "cli/jobserver/client_styles.h"

#include <chrono>

#include "base/enum_names.h"
#include "sensors/child_process.h"
#include "sluice/units.h"

namespace sluice::cli {
namespace {

/// How long a program may take to report its version.
constexpr Duration kPatience = std::chrono::seconds(5);

ClientVersions versions_for(ClientKind kind, const std::string& program) {
  ClientVersions versions;
  if (kind == ClientKind::ninja) return versions;
  if (kind == ClientKind::cargo) {
    versions.cargo = program_version(program);
    return versions;
  }
  versions.make = program_version(kind == ClientKind::make ? program : "make");
  versions.gcc = program_version(kind == ClientKind::gcc ? program : "gcc");
  return versions;
}

}  // namespace

std::optional<Version> program_version(const std::string& program) {
  const auto asked = run_command({program, "--version"}, kPatience);
  const CommandOutcome* said = value_in(asked);
  return said ? parse_version(said->output) : std::nullopt;
}

ClientStyles client_styles(const std::string& style, ClientKind kind, const std::string& program) {
  // Not old_pipe: nobody asks for that.
  if (const auto given = find_named<AuthStyle>(style, 3)) return {*given, *given};
  ClientStyles styles;
  styles.makeflags = style_for(kind, versions_for(kind, program));
  // A cargo below make cannot use inherited descriptors, but it can open the path.
  if (kind == ClientKind::cargo) styles.cargo = styles.makeflags;
  return styles;
}

}  // namespace sluice::cli
