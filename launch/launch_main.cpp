// `sluice-launch`: what compilers and linkers are started through.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "sluice/version.h"

namespace {

constexpr int kUnusable = 2;

constexpr const char* kHelp =
    "sluice-launch: start a compiler or linker when the host has room\n"
    "\n"
    "Usage: sluice-launch COMMAND...\n"
    "\n"
    "Asks the daemon (`sluice serve`) for a permit, waits for it, runs the command, and reports\n"
    "what it used, by which the daemon knows the next time what it needs. Without a daemon the\n"
    "command runs at once. Questions such as --version, and -E, need no permit. There are no "
    "other\n"
    "options: everything after them is the command.\n"
    "\n"
    "  --version    Print the version\n"
    "  -h, --help   Print this help\n"
    "\n"
    "Environment:\n"
    "  SLUICE_SOCKET   The daemon's socket; default: the usual paths\n"
    "\n"
    "Exit status: the command's; if a signal kills it, the same signal ends sluice-launch.\n"
    "127 not found, 126 not executable, 75 if its job was cancelled while it waited, 2 misuse.\n"
    "\n"
    "Examples:\n"
    "  cmake -B build -DCMAKE_C_COMPILER_LAUNCHER=sluice-launch \\\n"
    "        -DCMAKE_CXX_COMPILER_LAUNCHER=sluice-launch "
    "-DCMAKE_CXX_LINKER_LAUNCHER=sluice-launch\n"
    "  make -j16 CC='sluice-launch cc' CXX='sluice-launch c++'\n"
    "  RUSTC_WRAPPER=sluice-launch cargo build\n"
    "  CCACHE_PREFIX=sluice-launch ccache cc -c main.c     only a miss asks\n";

int misuse(const std::string& what) {
  std::fprintf(stderr, "sluice-launch: %s (see --help)\n", what.c_str());
  return kUnusable;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return misuse("no command");
  const std::string_view word = argv[1];
  if (word == "-h" || word == "--help") return std::fputs(kHelp, stdout) < 0 ? kUnusable : 0;
  if (word == "--version") {
    return std::printf("sluice-launch %s\n", sluice::kVersion) < 0 ? kUnusable : 0;
  }
  const int first = word == "--" ? 2 : 1;
  if (first == argc) return misuse("no command after --");
  if (first == 1 && word.starts_with('-')) return misuse("unknown option " + std::string(word));
  return sluice::launch({argv + first, argv + argc});
}
