#pragma once

#include <span>
#include <string>

namespace sluice {

/// What a command is to the launcher.
enum class CommandKind {
  weightless,  ///< Answers a question or only preprocesses: not worth a permit.
  compile,  ///< Translates sources; one that links as well is this, since the sources weigh more.
  link,     ///< Makes a program or a library of objects.
  other     ///< Unknown, and governed.
};

/// Recognises the drivers of gcc and clang by whatever prefix and version, rustc and linkers, also
/// behind `env`, `nice`, ccache and `sh -c`. Pure; accepts any command.
CommandKind kind_of(std::span<const std::string> command);

}  // namespace sluice
