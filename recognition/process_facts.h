#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recognition/lock_waits.h"

namespace sluice {

/// The words that a process was executed with; empty if it has ended, or for a kernel thread. Of
/// very long commands the first 128 KiB.
std::vector<std::string> read_command(pid_t process);

/// Where in its memory the words of its command line are, by the text of /proc/PID/stat: elsewhere
/// once it executes a program, but not if it writes over them. nullopt if this user may not know.
std::optional<std::uint64_t> parse_place_of_arguments(std::string_view stat);

/// What a process executes: another one once it executes a program, the same if it only writes over
/// its words.
struct ProgramImage {
  std::uint64_t arguments_at = 0;  ///< Without address randomisation, perhaps as before.
  dev_t device = 0;                ///< Of its file, with the next.
  ino_t file = 0;
  bool operator==(const ProgramImage&) const = default;
};
/// nullopt if this user may not know.
std::optional<ProgramImage> read_program_image(pid_t process);

/// The folder that it is in; empty if that may not be known.
std::string read_working_directory(pid_t process);

/// The pipes that are a process's standard input and output, in the kernel's words; empty for
/// anything else, or if that may not be known.
struct StandardPipes {
  std::string input, output;
};
StandardPipes read_standard_pipes(pid_t process);

/// What /proc/PID/status says about stopping a process.
struct SignalFacts {
  pid_t tracer = 0;
  std::uint64_t pending = 0;  ///< Of the process and of its first thread; signal n is bit n - 1.
  std::uint64_t ignored = 0;

  bool operator==(const SignalFacts&) const = default;
};

/// nullopt if malformed. Pure.
std::optional<SignalFacts> parse_signal_facts(std::string_view status);
std::optional<SignalFacts> read_signal_facts(pid_t process);

/// Whether a process, of whose /proc/PID/status this is the text, has ended. Of one whose first
/// thread has ended the others may go on, and one of them may become the first by an exec. Pure.
bool parse_is_over(std::string_view status);
bool is_over(pid_t process);

/// Whether a signal is pending that ends the process, by itself or by a handler. Pure.
bool is_ending(const SignalFacts& facts);

/// Bytes that it has read and written in all, by whatever call; nullopt if that may not be known.
std::optional<std::uint64_t> parse_bytes_moved(std::string_view io);
std::optional<std::uint64_t> read_bytes_moved(pid_t process);

/// See lock_waits.h. Of a process that may not be examined, no locks.
std::vector<LockWait> read_lock_waits();
std::vector<std::string> read_locks_of(pid_t process);

/// Memory of this host that is in use, of /proc/meminfo; nullopt if it does not say.
std::optional<std::uint64_t> parse_memory_in_use(std::string_view meminfo);
std::optional<std::uint64_t> read_memory_in_use();

}  // namespace sluice
