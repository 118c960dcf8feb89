#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::jobserver {

/// How a client learns of its jobserver.
enum class AuthStyle {
  fifo,      ///< --jobserver-auth=fifo:PATH: GNU make 4.4 and later, ninja 1.13 and later, cargo.
  pipe,      ///< --jobserver-auth=R,W: inherited descriptors; GNU make 4.2 and later, gcc.
  both,      ///< The first, then the second; most clients use the last one they find.
  old_pipe,  ///< --jobserver-fds=R,W: GNU make before 4.2.
};

std::string_view to_string(AuthStyle style);

struct Version {
  int major = 0, minor = 0;

  auto operator<=>(const Version&) const = default;
};

/// The first "N.N" in the output of `PROGRAM --version`: "GNU Make 4.3", "cargo 1.95.0 (…)".
std::optional<Version> parse_version(std::string_view text);

/// Versions of the programs that a command may start; nullopt if absent or unknown.
struct ClientVersions {
  std::optional<Version> make = {}, gcc = {}, cargo = {}, ninja = {};
};

/// Programs, by how they use a jobserver.
enum class ClientKind { make, ninja, cargo, gcc, other };

/// The kind by the program's file name: "gmake", "x86_64-linux-gnu-gcc-12".
ClientKind client_kind(std::string_view program);

/// The style for MAKEFLAGS, which the command and whatever it calls understand. GNU make before 4.4
/// aborts on `fifo:`, also below ninja, cargo or a script, so none gets it where there is such a
/// make. gcc before 13 finds no jobserver in it and links with one process. ninja 1.13 takes tokens
/// by nothing else, and keeps a number of its own where it is told of descriptors. Pure.
AuthStyle style_for(ClientKind kind, const ClientVersions& versions);

/// The style for CARGO_MAKEFLAGS. Many a build.rs copies it into the MAKEFLAGS of a make that it
/// calls, so an older make must understand this one, too. Pure.
AuthStyle cargo_style_for(ClientKind kind, const ClientVersions& versions);

/// What a ninja of this version that is told of its tokens in this style lacks to take them, as
/// half a sentence; empty if it takes them. An unknown one is taken for an older one.
std::string lacks_for_tokens(const std::optional<Version>& ninja, AuthStyle makeflags);

/// Where a client finds its tokens.
struct TokenAddress {
  std::string path;
  int read = -1, write = -1;  ///< Inherited descriptors; -1 if there are none.
};

/// Whether make can read the path in MAKEFLAGS: it is not empty, and has no blank, behind which
/// options of make would follow, such as --eval.
bool can_be_in_makeflags(std::string_view path);

/// One line that says why the tokens cannot be there, if that is so, and how to mend it.
std::string not_in_makeflags(std::string_view path);

/// One or two options "--jobserver-auth=…".
std::string token_options(AuthStyle style, const TokenAddress& address);

/// The same for CARGO_MAKEFLAGS: names descriptors in both forms, for the oldest cargo there is.
std::string cargo_token_options(AuthStyle style, const TokenAddress& address);

/// MAKEFLAGS for the client: the user's `flags`, without -j and other jobservers, plus ours. The
/// variables after " -- " stay last. Pure.
std::string makeflags_with(std::string_view flags, const std::string& options);

/// Which word of a command is the option that makes it ignore a jobserver: "-j8" of make or ninja,
/// "--jobs=8"; nullopt if there is none. Of several, the last, which is the one that they take; of
/// several commands with ";" between them, that of the first of this kind that has one.
std::optional<std::size_t> own_jobs_place(const std::vector<std::string>& command);

/// That word.
std::optional<std::string> own_jobs_option(const std::vector<std::string>& command);

/// The word in MAKEFLAGS with the same effect, as in MAKEFLAGS=-j8; the client does not get it.
std::optional<std::string> own_jobs_flag(std::string_view flags);

}  // namespace sluice::jobserver
