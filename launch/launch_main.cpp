// `sluice-launch`: what compilers and linkers are started through.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "process/child/signals.h"
#include "sluice/version.h"

namespace {

constexpr int kUnusable = 2;

constexpr const char* kHelp =
    "sluice-launch: start a compiler or linker when the host has room\n"
    "\n"
    "Usage: sluice-launch [--retry-killed] COMMAND...\n"
    "\n"
    "Asks the daemon (`sluice serve`) for a permit, waits for it, runs the command,\n"
    "and reports what it used, so that the daemon can predict its next run.\n"
    "Without a daemon the command runs at once. Queries such as --version, and -E,\n"
    "need no permit. Everything after the options is the command.\n"
    "\n"
    "  --retry-killed   If the kernel kills a compile or a link for memory, run it\n"
    "                   once more, while no other job runs; not if it reads standard\n"
    "                   input\n"
    "  --version        Print the version\n"
    "  -h, --help       Print this help\n"
    "\n"
    "Environment:\n"
    "  SLUICE_SOCKET         The daemon's socket; default: the usual paths\n"
    "  SLUICE_RETRY_KILLED   1: like --retry-killed; empty or 0: off\n"
    "\n"
    "Exit status: the command's; if a signal kills it, the same signal ends\n"
    "sluice-launch. 127 not found, 126 not executable, 75 if its job was cancelled\n"
    "while it waited, 2 misuse.\n"
    "\n"
    "Examples:\n"
    "  cmake -B build -DCMAKE_C_COMPILER_LAUNCHER=sluice-launch \\\n"
    "        -DCMAKE_CXX_COMPILER_LAUNCHER=sluice-launch \\\n"
    "        -DCMAKE_CXX_LINKER_LAUNCHER=sluice-launch\n"
    "  make -j16 CC='sluice-launch cc' CXX='sluice-launch c++'\n"
    "  RUSTC_WRAPPER=sluice-launch cargo build\n"
    "  CCACHE_PREFIX=sluice-launch ccache cc -c main.c     only misses ask\n";

int misuse(const std::string& what) {
  std::fprintf(stderr, "sluice-launch: %s (see --help)\n", what.c_str());
  return kUnusable;
}

/// nullopt if it is no value of SLUICE_RETRY_KILLED.
std::optional<sluice::AfterKill> after_kill_of(const char* value) {
  const std::string_view text = value ? value : "";
  if (text == "1") return sluice::AfterKill::run_again_alone;
  return text.empty() || text == "0" ? std::optional(sluice::AfterKill::fail) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return misuse("no command");
  const std::string_view word = argv[1];
  if (word == "-h" || word == "--help") return std::fputs(kHelp, stdout) < 0 ? kUnusable : 0;
  if (word == "--version") {
    return std::printf("sluice-launch %s\n", sluice::kVersion) < 0 ? kUnusable : 0;
  }
  int first = 1;
  const auto retry = after_kill_of(std::getenv("SLUICE_RETRY_KILLED"));
  if (!retry) return misuse("SLUICE_RETRY_KILLED is neither 1 nor 0");
  sluice::AfterKill after_kill = *retry;
  if (word == "--retry-killed") {
    after_kill = sluice::AfterKill::run_again_alone;
    ++first;
  }
  const bool ends_options = first < argc && std::string_view(argv[first]) == "--";
  if (ends_options) ++first;
  if (first == argc) return misuse("no command");
  const std::string_view next = argv[first];
  if (!ends_options && next.starts_with('-')) return misuse("unknown option " + std::string(next));
  sluice::ignore_sigpipe();
  return sluice::launch({argv + first, argv + argc}, after_kill);
}
