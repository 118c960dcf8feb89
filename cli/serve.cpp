#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptors.h"
#include "cli/commands.h"
#include "cli/settings/config_from.h"
#include "service/daemon/daemon.h"
#include "service/daemon/host_check.h"
#include "service/daemon/stderr_log.h"

namespace sluice::cli {
namespace {

struct ServeArguments {
  std::string config;
  std::string socket;
  std::string listen;
};

/// Reports other settings in the configuration that this host cannot meet.
void tell_further_errors(const Config& config, std::string_view told) {
  for (const ConfigError& error : host_errors(config)) {
    if (told.find(error.message) != std::string_view::npos) continue;
    std::cerr << "sluice serve: " << to_string(error) << "\n";
  }
}

int serve(const ServeArguments& arguments) {
  ServeOptions options;
  options.config = config_from(arguments.config);
  const Config config = options.config;
  options.config_file = arguments.config;
  options.socket = arguments.socket;
  if (!arguments.listen.empty()) {
    options.listen = arguments.listen == "off" ? std::string() : arguments.listen;
  }
  raise_descriptor_limit();
  try {
    Daemon daemon(std::move(options), log_to_stderr());
    daemon.run();
  } catch (const CannotServe& problem) {
    std::cerr << "sluice serve: " << problem.what() << "\n";
    tell_further_errors(config, problem.what());
    return 2;
  }
  return 0;
}

}  // namespace

CLI::App* add_serve(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("serve", "Run the daemon that governs this host");
  auto arguments = std::make_shared<ServeArguments>();
  command->add_option("--config", arguments->config,
                      "A sluice.yaml, re-read on SIGHUP and `sluice reload`; default: none");
  command->add_option("--socket", arguments->socket,
                      "The Unix socket; default: SLUICE_SOCKET, service.socket or the usual path");
  command->add_option("--listen", arguments->listen,
                      "HOST:PORT for metrics and health over TCP, or off; default: 127.0.0.1:9797");
  command->callback([=, &exit_status] { exit_status = serve(*arguments); });
  command->footer(
      "Examples:\n"
      "  sluice serve\n"
      "  sluice serve --config /etc/sluice.yaml --listen off\n"
      "  curl http://127.0.0.1:9797/metrics\n");
  return command;
}

}  // namespace sluice::cli
