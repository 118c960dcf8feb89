#include "recognition/process_facts.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "base/folder.h"
#include "base/parse.h"
#include "base/process_table.h"

namespace sluice {
namespace {

constexpr std::size_t kMostCommand = 128 * 1024;
constexpr std::size_t kMostRecord = 4096;
constexpr std::size_t kMostLocks = 1 << 20;

/// The hexadecimal number on the line that begins with `name`; nullopt if there is none.
std::optional<std::uint64_t> signals_on(std::string_view text, std::string_view name) {
  constexpr int kBase = 16;
  std::size_t at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  at = text.find_first_not_of(" \t", at + name.size());
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data() + at, text.data() + text.size(), number, kBase);
  if (read.ec != std::errc{}) return std::nullopt;
  return number;
}

/// The target of a link; empty if this process may not read it.
std::string target_of(pid_t process, const char* link) {
  std::array<char, kMostRecord> target;
  const ssize_t size = readlink(proc_path(process, link).c_str(), target.data(), target.size());
  return size > 0 ? std::string(target.data(), static_cast<std::size_t>(size)) : std::string();
}

std::string pipe_at(pid_t process, const char* link) {
  std::string target = target_of(process, link);
  return target.starts_with("pipe:") ? target : std::string();
}

}  // namespace

std::vector<std::string> read_command(pid_t process) {
  const std::string text = beginning_of(proc_path(process, "cmdline"), kMostCommand);
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::optional<std::uint64_t> parse_place_of_arguments(std::string_view stat) {
  constexpr std::string_view end_of_name = ") ";
  constexpr int before = 45;  ///< Words between the name and it.
  const std::size_t name_end = stat.rfind(end_of_name);
  if (name_end == std::string_view::npos) return std::nullopt;
  std::string_view rest = stat.substr(name_end + end_of_name.size());
  for (int word = 0; word < before; ++word) next_word(rest);
  const auto place = parse_u64(next_word(rest));
  return place != 0U ? place : std::nullopt;
}

std::optional<ProgramImage> read_program_image(pid_t process) {
  const auto place =
      parse_place_of_arguments(beginning_of(proc_path(process, "stat"), kMostRecord));
  // A file system over the network is not asked: it may hang.
  struct statx file {};
  const std::string path = proc_path(process, "exe");
  if (!place || statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, STATX_INO, &file) != 0) {
    return std::nullopt;
  }
  return ProgramImage{*place, makedev(file.stx_dev_major, file.stx_dev_minor), file.stx_ino};
}

std::string read_working_directory(pid_t process) { return target_of(process, "cwd"); }

StandardPipes read_standard_pipes(pid_t process) {
  return {pipe_at(process, "fd/0"), pipe_at(process, "fd/1")};
}

std::optional<SignalFacts> parse_signal_facts(std::string_view status) {
  // A process chooses its name, on the first line, but the kernel escapes line ends in it.
  const auto tracer = number_of(status, "TracerPid:");
  const auto own = signals_on(status, "\nSigPnd:");
  const auto shared = signals_on(status, "\nShdPnd:");
  const auto ignored = signals_on(status, "\nSigIgn:");
  if (!tracer || !own || !shared || !ignored) return std::nullopt;
  return SignalFacts{static_cast<pid_t>(*tracer), *own | *shared, *ignored};
}

std::optional<SignalFacts> read_signal_facts(pid_t process) {
  return parse_signal_facts(beginning_of(proc_path(process, "status"), kMostRecord));
}

bool parse_is_over(std::string_view status) {
  constexpr std::string_view name = "\nState:\t";
  const std::size_t at = status.find(name);
  if (at == std::string_view::npos || at + name.size() >= status.size()) return true;
  const char state = status[at + name.size()];
  if (state == 'X') return true;
  return state == 'Z' && number_of(status, "Threads:").value_or(1) <= 1;
}

bool is_over(pid_t process) {
  const std::string status = beginning_of(proc_path(process, "status"), kMostRecord);
  if (!status.empty()) return parse_is_over(status);
  // Or this process has no descriptor left to read it.
  return kill(process, 0) != 0 && errno == ESRCH;
}

bool is_ending(const SignalFacts& facts) {
  constexpr std::array ends{SIGHUP,  SIGINT,  SIGQUIT, SIGABRT, SIGKILL, SIGUSR1,   SIGUSR2,
                            SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF};
  return std::ranges::any_of(ends, [&](int signal) {
    const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
    return (facts.pending & ~facts.ignored & bit) != 0;
  });
}

std::optional<std::uint64_t> parse_bytes_moved(std::string_view io) {
  const auto read = number_of(io, "rchar:");
  const auto written = number_of(io, "wchar:");
  if (!read || !written) return std::nullopt;
  return *read + *written;
}

std::optional<std::uint64_t> read_bytes_moved(pid_t process) {
  return parse_bytes_moved(beginning_of(proc_path(process, "io"), kMostRecord));
}

std::vector<LockWait> read_lock_waits() {
  return parse_lock_waits(beginning_of("/proc/locks", kMostLocks));
}

std::vector<std::string> read_locks_of(pid_t process) {
  std::vector<std::string> locks;
  const std::string files = proc_path(process, "fdinfo");
  for (const std::string& file : names_in_folder(files)) {
    const std::string text = beginning_of(files + "/" + file, kMostRecord);
    for (std::string& each : parse_locks_of_file(text)) locks.push_back(std::move(each));
  }
  return locks;
}

std::optional<std::uint64_t> parse_memory_in_use(std::string_view meminfo) {
  constexpr std::uint64_t kibibyte = 1024;
  const auto total = number_of(meminfo, "MemTotal:");
  const auto available = number_of(meminfo, "MemAvailable:");
  if (!total || !available || *available > *total) return std::nullopt;
  return (*total - *available) * kibibyte;
}

std::optional<std::uint64_t> read_memory_in_use() {
  return parse_memory_in_use(beginning_of("/proc/meminfo", kMostRecord));
}

}  // namespace sluice
