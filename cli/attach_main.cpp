// `sluice-attach`: the same as `sluice attach`, as one small static program that runs in any image.
#include <cstdio>
#include <string>
#include <string_view>

#include "client/attach_client.h"
#include "sluice/version.h"

namespace {

constexpr const char* kHelp =
    "sluice-attach: give this container's cgroup to the Sluice sidecar\n"
    "\n"
    "Usage: sluice-attach [--socket PATH] [--once [--json]] [-- COMMAND...]\n"
    "\n"
    "Without a command, it keeps running and attaches again when the daemon restarts.\n"
    "With one, it execs the command and leaves a small process behind that does so\n"
    "until the command ends; the command starts with or without a daemon.\n"
    "\n"
    "  --socket PATH   The daemon's socket; default: SLUICE_SOCKET or the usual paths\n"
    "  --once          Attach once and exit; waits up to 10 s for a daemon\n"
    "  --json          With --once: print the daemon's answer as one JSON object\n"
    "  --version       Print the version\n"
    "  -h, --help      Print this help\n"
    "\n"
    "Exit status: the command's; otherwise 0, or 2 with one line that says what went\n"
    "wrong.\n"
    "\n"
    "Examples:\n"
    "  sluice-attach -- zuul-executor -f   as an executor's entrypoint\n"
    "  sluice-attach --once                from a hook, when the daemon restarts\n";

int misuse(const std::string& what) {
  std::fprintf(stderr, "sluice-attach: %s (see --help)\n", what.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using Options = sluice::AttachOptions;
  Options options;
  int at = 1;
  for (; at < argc && options.command.empty(); ++at) {
    const std::string_view word = argv[at];
    if (word == "-h" || word == "--help") return std::fputs(kHelp, stdout) < 0 ? 2 : 0;
    if (word == "--version") return std::printf("sluice-attach %s\n", sluice::kVersion) < 0 ? 2 : 0;
    if (word == "--once") {
      options.stay = Options::Stay::once;
    } else if (word == "--json") {
      options.print = Options::Print::json;
    } else if (word == "--socket" && at + 1 < argc) {
      options.socket = argv[++at];
      if (options.socket.empty()) return misuse("--socket needs a path");
    } else if (word.starts_with("--socket=")) {
      options.socket = word.substr(std::string_view("--socket=").size());
      if (options.socket.empty()) return misuse("--socket needs a path");
    } else if (word == "--socket") {
      return misuse("--socket needs a path");
    } else if (word == "--") {
      options.command.assign(argv + at + 1, argv + argc);
      if (options.command.empty()) return misuse("no command after --");
    } else {
      return misuse("unexpected argument " + std::string(word));
    }
  }
  const bool is_once = options.stay == Options::Stay::once;
  if (is_once && !options.command.empty()) return misuse("--once takes no command");
  if (!is_once && options.print == Options::Print::json) return misuse("--json needs --once");
  if (!options.command.empty()) options.stay = Options::Stay::before;
  return sluice::attach(options);
}
