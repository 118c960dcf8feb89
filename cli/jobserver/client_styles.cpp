#include "cli/jobserver/client_styles.h"

#include <chrono>
#include <optional>
#include <vector>

#include "sensors/child_process.h"
#include "sluice/units.h"

namespace sluice::cli {
namespace {

/// How long a program may take to report its version.
constexpr Duration kPatience = std::chrono::seconds(5);

std::optional<Version> version_of(const std::vector<std::string>& command) {
  const auto asked = run_command(command, kPatience);
  const CommandOutcome* said = value_in(asked);
  return said ? parse_version(said->output) : std::nullopt;
}

std::optional<Version> version_of(const std::string& program) {
  return version_of({program, "--version"});
}

ClientVersions versions_for(ClientKind kind, const std::string& program) {
  ClientVersions versions;
  if (kind == ClientKind::ninja) return versions;
  if (kind == ClientKind::cargo) {
    versions.cargo = version_of(program);
    return versions;
  }
  versions.make = version_of(kind == ClientKind::make ? program : "make");
  versions.gcc = version_of(kind == ClientKind::gcc ? program : "gcc");
  return versions;
}

std::optional<AuthStyle> parse_style(const std::string& text) {
  for (const AuthStyle style : {AuthStyle::fifo, AuthStyle::pipe, AuthStyle::both}) {
    if (text == to_string(style)) return style;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Version> program_version(const std::string& program) { return version_of(program); }

ClientStyles client_styles(const std::string& style, ClientKind kind, const std::string& program) {
  if (const auto given = parse_style(style)) return {*given, *given};
  ClientStyles styles;
  styles.makeflags = style_for(kind, versions_for(kind, program));
  // A cargo below make cannot use inherited descriptors, but it can open the path.
  if (kind == ClientKind::cargo) styles.cargo = styles.makeflags;
  return styles;
}

}  // namespace sluice::cli
