#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/completion/answer.h"

namespace sluice::cli {

void add_completion(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("completion", "Print the completion script for a shell");
  auto shell = std::make_shared<std::string>();
  add_value(*command, "shell", *shell, "SHELL", "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([=, &exit_status] {
    std::cout << completion_script(*shell);
    exit_status = 0;
  });
  command->footer(
      "An installed Sluice needs this only for bash without the package bash-completion, and for "
      "zsh without compinit. It completes subcommands, options and their values, keys of "
      "sluice.yaml, and ids and queues of the running daemon, for `sluice` and `sluice-autoscale`; "
      "after `sluice run --` and `sluice-launch`, whatever the shell knows about that command.\n\n"
      "Examples:\n"
      "  source <(sluice completion bash)       in ~/.bashrc\n"
      "  source <(sluice completion zsh)        in ~/.zshrc, after compinit\n"
      "  sluice completion fish | source        in ~/.config/fish/config.fish\n");
}

}  // namespace sluice::cli
