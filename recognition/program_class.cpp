#include "recognition/program_class.h"

#include <array>
#include <cctype>
#include <string_view>

#include "costmodel/command_kind.h"
#include "costmodel/job_key.h"
#include "costmodel/real_command.h"

namespace sluice {
namespace {

using View = std::string_view;

/// The programs that a driver starts for each language. They have no other use.
constexpr auto kCompilers =
    std::to_array<View>({"cc1", "cc1plus", "cc1obj", "cc1objplus", "cc1gm2", "f951", "gnat1", "go1",
                         "d21", "lto1", "rust1", "javac"});

/// Wait for what they start.
constexpr auto kWaiting = std::to_array<View>(
    {"sh",        "bash",          "dash",       "zsh",         "ksh",
     "mksh",      "fish",          "busybox",    "env",         "nice",
     "ionice",    "nohup",         "setsid",     "stdbuf",      "timeout",
     "time",      "chrt",          "taskset",    "script",      "sudo",
     "su",        "runuser",       "doas",       "unshare",     "bwrap",
     "chroot",    "fakeroot",      "faked",      "eatmydata",   "flock",
     "strace",    "ltrace",        "gdb",        "rr",          "proot",
     "make",      "gmake",         "ninja",      "samu",        "cmake",
     "ctest",     "cargo",         "go",         "meson",       "bazel",
     "npm",       "npx",           "yarn",       "pnpm",        "xargs",
     "parallel",  "find",          "debuild",    "dh",          "ccache",
     "sccache",   "distcc",        "icecc",      "libtool",     "collect2",
     "as",        "fakeroot-sysv", "faked-sysv", "lto-wrapper", "dpkg-buildpackage",
     "debhelper", "nsenter",       "newgrp",     "sg",          "conmon",
     "runc",      "crun",          "sbuild",     "schroot"});

/// Move bytes or sleep: too small to count, and who holds one holds up what waits for it.
constexpr auto kSmall = std::to_array<View>(
    {"cat",     "tee",   "sed",   "grep",   "egrep",   "fgrep",      "cut",     "tr",
     "head",    "tail",  "wc",    "ls",     "echo",    "printf",     "test",    "[",
     "true",    "false", "mkdir", "rmdir",  "rm",      "cp",         "mv",      "ln",
     "install", "touch", "chmod", "chown",  "dirname", "basename",   "uname",   "expr",
     "date",    "sleep", "ar",    "gcc-ar", "ranlib",  "pkg-config", "watchman"});

/// Clients of the daemon.
constexpr auto kGoverned = std::to_array<View>({"sluice", "sluice-launch"});

/// Their first argument that is no option is the program.
constexpr auto kInterpreters = std::to_array<View>({"node", "perl", "ruby"});

constexpr auto kTimekeepers = std::to_array<View>({"timeout", "ctest", "pytest", "py.test"});

bool begins_with_digit(View text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
}

/// "clang" of "clang-16"; "gcc-ar" stays.
View without_version(View name) {
  const std::size_t dash = name.rfind('-');
  const bool has_version = dash != View::npos && begins_with_digit(name.substr(dash + 1));
  return has_version ? name.substr(0, dash) : name;
}

/// The program that the process is: for an interpreter that of its script.
std::string program_name(std::span<const std::string> command) {
  std::string name = base_name(command[0]);
  // A login shell.
  if (name.starts_with('-')) name.erase(0, 1);
  const bool interprets = holds(kInterpreters, name) || name.starts_with("python");
  return interprets ? program_of(command) : name;
}

/// As a configuration names it: a script of a shell by its own name.
std::string listed_name_of(std::span<const std::string> command, const std::string& name) {
  constexpr auto shells = std::to_array<View>({"sh", "bash", "dash", "zsh", "ksh", "mksh"});
  const bool runs_script =
      holds(shells, name) && command.size() > 1 && !command[1].empty() && command[1][0] != '-';
  return runs_script ? base_name(command[1]) : name;
}

/// Other programs are called compile and link, too.
bool is_of_go(const std::string& path, View name) {
  return (name == "compile" || name == "link") && path.find("/tool/") != std::string::npos;
}

/// The names of all linkers end alike: ld, lld, gold, mold, ld.bfd, with any prefix and version.
bool is_linker(View name) {
  const View plain = without_version(name);
  return plain.ends_with("ld") || plain.ends_with("ld.bfd");
}

/// clang compiles within its own process where it has one source, and starts itself with -cc1 where
/// it has several, or links as well.
ProgramClass class_of_clang(std::span<const std::string> command) {
  if (command.size() > 1 && command[1] == "-cc1") return ProgramClass::heavy;
  const bool compiles = holds(command, "-c") || holds(command, "-S");
  const bool is_one = compiles && kind_of(command) == CommandKind::compile;
  return is_one ? ProgramClass::heavy : ProgramClass::transparent;
}

ProgramClass class_of(std::span<const std::string> command, const std::string& name,
                      const ListedPrograms& listed) {
  const auto known = listed.classes.find(listed_name_of(command, name));
  if (known != listed.classes.end()) return known->second;
  if (holds(kGoverned, name)) return ProgramClass::governed;
  if (holds(kCompilers, name)) {
    return holds(command, "-E") ? ProgramClass::transparent : ProgramClass::heavy;
  }
  if (is_of_go(command[0], name)) return ProgramClass::heavy;
  if (holds(kWaiting, name) || holds(kSmall, name)) return ProgramClass::transparent;
  const View plain = without_version(name);
  if (plain.ends_with("clang") || plain.ends_with("clang++")) return class_of_clang(command);
  const CommandKind kind = kind_of(command);
  if (kind == CommandKind::other) return ProgramClass::other;
  // The rest are drivers, which wait for the compiler or linker that they start, and programs
  // that do the work themselves: rustc, and linkers.
  const bool works = name == "rustc" || name == "clippy-driver" || name == "tcc" || is_linker(name);
  return works && kind != CommandKind::weightless ? ProgramClass::heavy : ProgramClass::transparent;
}

bool keeps_time(std::span<const std::string> command, const std::string& name,
                const ListedPrograms& listed) {
  // Debian also calls it pytest-3.
  if (holds(kTimekeepers, without_version(name))) return true;
  if (listed.timekeepers.contains(listed_name_of(command, name))) return true;
  return (name == "meson" || name == "go") && holds(command, "test");
}

}  // namespace

ProgramKind program_kind(std::span<const std::string> command, const ListedPrograms& listed) {
  if (command.empty() || command[0].empty()) return {ProgramClass::transparent, false};
  const std::string name = program_name(command);
  ProgramKind kind{class_of(command, name, listed), keeps_time(command, name, listed)};
  kind.is_known_heavy = kind.what == ProgramClass::other &&
                        listed.learned.contains(program_of(command)) &&
                        !listed.classes.contains(listed_name_of(command, name));
  return kind;
}

std::vector<std::string> command_for_key(std::vector<std::string> command) {
  constexpr auto valued =
      std::to_array<View>({"-plugin", "-dynamic-linker", "-m", "-z", "-soname", "-h", "-rpath",
                           "-rpath-link", "-T", "-L", "--sysroot"});
  if (command.empty() || !is_linker(base_name(command[0]))) return command;
  std::vector<std::string> words{command[0]};
  for (std::size_t at = 1; at < command.size(); ++at) {
    if (holds(valued, command[at])) {
      ++at;
    } else if (!command[at].starts_with("-plugin-opt")) {
      words.push_back(command[at]);
    }
  }
  return words;
}

}  // namespace sluice
