#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice {

/// How a client is told of its jobserver.
enum class TokenStyle {
  fifo,      ///< --jobserver-auth=fifo:PATH: GNU make from 4.4 on, ninja from 1.13 on, cargo.
  pipe,      ///< --jobserver-auth=R,W: inherited descriptors; every GNU make from 4.2 on, gcc.
  both,      ///< The first, then the second; most clients take the last one that is there.
  old_pipe,  ///< --jobserver-fds=R,W: GNU make before 4.2.
};

std::string_view to_string(TokenStyle style);

struct Version {
  int major = 0, minor = 0;

  auto operator<=>(const Version&) const = default;
};

/// The first "N.N" in what `PROGRAM --version` prints: "GNU Make 4.3", "cargo 1.95.0 (…)".
std::optional<Version> parse_version(std::string_view text);

/// What is known of the programs that a command may start; none: not there, or not known.
struct ClientVersions {
  std::optional<Version> make, gcc, cargo;
};

/// Programs as far as their jobserver goes.
enum class ClientKind { make, ninja, cargo, gcc, other };

/// By the file name of the program: "gmake", "x86_64-linux-gnu-gcc-12".
ClientKind client_kind(std::string_view program);

/// The form that the command understands. GNU make before 4.4 dies of `fifo:`, gcc before 13 finds
/// no jobserver in it and links with one process, and so for what make calls; ninja knows nothing
/// else. Of anything else nothing is known but the make that it may call. Pure.
TokenStyle style_for(ClientKind kind, const ClientVersions& versions);

/// Where a client finds its tokens.
struct TokenAddress {
  std::string path;
  int read = -1, write = -1;  ///< Inherited descriptors; -1: none.
};

/// "--jobserver-auth=…", one or two of them.
std::string token_options(TokenStyle style, const TokenAddress& address);

/// The same for CARGO_MAKEFLAGS: descriptors by both of their names, for the oldest cargo there is.
std::string cargo_token_options(TokenStyle style, const TokenAddress& address);

/// MAKEFLAGS for the client: `flags`, as the user set them, without -j and jobservers of others,
/// and with ours. The variables behind " -- " stay last. Pure.
std::string makeflags_with(std::string_view flags, const std::string& options);

/// The option of a command that makes it deaf to a jobserver: "-j8" of make or ninja, "--jobs=8";
/// none: there is none.
std::optional<std::string> own_jobs_option(const std::vector<std::string>& command);

/// The word of MAKEFLAGS that does the same, as in MAKEFLAGS=-j8; it is left out for the client.
std::optional<std::string> own_jobs_flag(std::string_view flags);

}  // namespace sluice
