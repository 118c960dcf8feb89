#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// The parts of a command that depend on where it runs, not on what it does.
struct KeyPlace {
  std::string directory;  ///< Its working directory, absolute; empty if unknown.
  std::vector<std::string> temporary{"/tmp", "/var/tmp"};  ///< Folders of temporary files.
};

/// The working directory and temporary folders of this process; the only function here that is not
/// pure.
KeyPlace key_place_here();

/// Keys of a jobserver's tokens begin with this, see `JobRequest::takes_turns`.
inline constexpr std::string_view kTokenKey = "jobserver:";

/// The program that a command runs, by file name: "g++" for `nice ccache /usr/bin/g++ …`, for
/// `sh -c "cd build && g++ …"` and for `env LANG=C g++ …`; "train.py" for `python3 train.py`,
/// "pytest" for `python3 -m pytest`. Without control characters and other bytes than UTF-8, each of
/// which becomes '?'. Empty for an empty command.
std::string program_of(std::span<const std::string> command);

/// A name for all runs of "the same job": the program, its subject and a digest of its arguments,
/// such as "g++:t#_heavy.cpp:3f2a91c0". Printable, without spaces, at most 128 bytes; the same on
/// every host and in every version. Empty for an empty command.
///
/// Two commands have the same key if they differ only in
/// - numbers, hashes and random names of temporary files ("t1.cpp" and "t2.cpp"), except in
///   options that control how a compiler translates (-O2, -std=c++20, -m64);
/// - where they run: paths below or near the working directory are taken relative to it;
/// - where the result goes: -o, -MF, -MT, -MQ, --output and redirections;
/// - what starts them: env, nice, timeout, ccache and the like, and `sh -c`.
std::string job_key(std::span<const std::string> command, const KeyPlace& place);

/// The numbers that `job_key` leaves out, such as "400" or "3,17"; a digest if there are many.
/// Empty if there are none. Hashes and random names do not count: they say nothing about the job.
std::string job_variant(std::span<const std::string> command, const KeyPlace& place);

}  // namespace sluice
