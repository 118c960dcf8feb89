#include <optional>
#include <string>
#include <vector>

#include "cli/autoscale.h"
#include "cli/command.h"
#include "cli/command_line/call.h"
#include "cli/command_line/completion.h"
#include "cli/command_line/words.h"
#include "cli/completion/answer.h"
#include "process/command_process.h"

int main(int argc, char** argv) {
  using namespace sluice::cli;
  prepare_standard_streams();
  sluice::keep_ended_children();
  std::vector<std::string> words = plain_call({argv + 1, argv + argc});
  if (const auto own = autoscale_words(words)) return become_autoscale(*own);
  int exit_status = 0;
  const auto app = make_command(exit_status);
  if (asks_for_completion(words)) return answer_completion(*app, std::move(words));
  return carry_out(*app, std::move(words), exit_status);
}
