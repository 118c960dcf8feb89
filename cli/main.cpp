#ifdef SLUICE_STATIC
#include <nss.h>
#endif

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/autoscale.h"
#include "cli/command.h"
#include "cli/command_line/call.h"
#include "cli/command_line/completion.h"
#include "cli/command_line/words.h"
#include "cli/completion/answer.h"
#include "process/command_process.h"

namespace {

// A static program cannot count on the shared objects that nsswitch.conf may name: they must be of
// its own glibc. These are compiled in.
void use_compiled_in_name_services() {
#ifdef SLUICE_STATIC
  __nss_configure_lookup("hosts", "files dns");
  __nss_configure_lookup("passwd", "files");
  __nss_configure_lookup("group", "files");
#endif
}

/// What may be the name of a command.
std::string_view first_word(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const bool version = words.size() == 1 && (words[0] == "--version" || words[0] == "-V");
  if (version) return "version";
  return words[0];
}

/// Whether a command runs another one, or prints for one: its message that nobody reads must not
/// end it. The others end quietly, as in `sluice status | head`, and so do `env` and `nproc` once
/// they print. `sluice batch` handles SIGPIPE itself.
bool outlives_its_reader(std::string_view command) {
  constexpr std::array<std::string_view, 5> kNames{"build", "env", "jobserver", "nproc", "run"};
  return std::ranges::find(kNames, command) != kNames.end();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace sluice::cli;
  use_compiled_in_name_services();
  if (!prepare_standard_streams()) return 2;
  sluice::restore_default_sigchld();
  std::vector<std::string> words = plain_call({argv + 1, argv + argc});
  if (const auto own = autoscale_words(words)) return become_autoscale(*own);
  if (outlives_its_reader(first_word(words))) sluice::ignore_sigpipe();
  int exit_status = 0;
  if (asks_for_completion(words)) {
    return answer_completion(*make_command(exit_status), std::move(words));
  }
  const auto app = make_command(exit_status, first_word(words));
  return carry_out(*app, std::move(words), exit_status);
}
