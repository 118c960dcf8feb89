#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/user_folder.h"
#include "base/value_or_throw.h"
#include "base/values.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/serve_amendments.h"
#include "cli/settings/config_from.h"
#include "cli/terminal/terminal.h"
#include "service/daemon/daemon.h"
#include "service/daemon/host_check.h"
#include "service/daemon/log.h"

namespace sluice::cli {
namespace {

struct ServeArguments {
  std::string config;
  std::string shadow;
  std::string socket;
  std::string listen;
  std::string state_dir;
  bool is_private = false;
  std::optional<Duration> exit_when_idle;
};

/// Begins each line of a private daemon, since several of one user share a log.
std::string origin_of(const ServeArguments& arguments) {
  return arguments.is_private ? "[" + std::to_string(getpid()) + "] " : "";
}

/// Says each line of a text on standard error.
void tell(const ServeArguments& arguments, const std::string& text) {
  std::cerr << lines_after(origin_of(arguments) + "sluice serve: ", text);
}

/// The user's folder for state; nullopt, and a warning, if it cannot be made: a build must not fail
/// for a missing or read-only home.
std::optional<std::string> usable_state_folder(const ServeArguments& arguments,
                                               const Config& config) {
  const auto folder = state_folder("", config);
  if (!folder) {
    tell(arguments, "the history is not kept: $HOME is unset");
    return std::nullopt;
  }
  std::error_code problem;
  std::filesystem::create_directories(*folder, problem);
  if (!problem && access(folder->c_str(), W_OK) == 0) return folder;
  tell(arguments,
       "the history is not kept: " + errno_text(*folder, problem ? problem.value() : errno));
  return std::nullopt;
}

/// Throws what keeps the daemon from serving this user alone, in one line.
void make_private(const ServeArguments& arguments, ServeOptions& options,
                  ServeAmendments& amendments) {
  if (arguments.socket.empty()) {
    value_or_throw(PrivateFolder::open(user_folder()));
    options.socket = user_daemon_socket();
  }
  if (arguments.listen.empty()) options.listen = "";
  serve_own_builds(options, amendments);
  if (!options.config.governing.state_dir && !amendments.state_dir) {
    amendments.state_dir = usable_state_folder(arguments, options.config);
  }
}

/// Reports other settings in the configuration that this host cannot meet.
void tell_further_errors(const ServeArguments& arguments, const Config& config,
                         std::string_view told) {
  for (const ConfigError& error : host_errors(config)) {
    if (told.find(error.message) != std::string_view::npos) continue;
    tell(arguments, to_string(error));
  }
}

Duration idle_time(const std::string& text) {
  const auto parsed = parse_duration(text);
  const auto* time = std::get_if<Duration>(&parsed);
  if (time && *time >= std::chrono::seconds(1)) return *time;
  throw CLI::ValidationError("--exit-when-idle",
                             "must be a duration of at least 1s, such as 10min");
}

int serve(const ServeArguments& arguments) {
  ServeOptions options;
  options.config = config_from(arguments.config);
  ServeAmendments amendments;
  if (!arguments.state_dir.empty()) amendments.state_dir = arguments.state_dir;
  options.config_file = arguments.config;
  if (!arguments.shadow.empty()) config_from(arguments.shadow);  // Prints all errors in it.
  options.shadow_file = arguments.shadow;
  options.socket = arguments.socket;
  if (!arguments.listen.empty()) {
    options.listen = arguments.listen == "off" ? std::string() : arguments.listen;
  }
  options.exit_when_idle = arguments.exit_when_idle;
  if (arguments.is_private) make_private(arguments, options, amendments);
  amendments.listen = options.listen;
  if (!options.socket.empty()) amendments.socket = options.socket;
  options.amend = amendments;
  Config written = options.config;
  if (amendments.state_dir) written.governing.state_dir.reset();
  amendments(options.config);
  raise_descriptor_limit();
  try {
    Daemon daemon(std::move(options), log_to_stderr(origin_of(arguments)));
    daemon.run();
  } catch (const CannotServe& problem) {
    tell(arguments, problem.what());
    tell_further_errors(arguments, written, problem.what());
    return 2;
  }
  return 0;
}

int execute_serve(const ServeArguments& arguments) {
  try {
    return serve(arguments);
  } catch (const std::exception& problem) {
    tell(arguments, problem.what());
    return 2;
  }
}

}  // namespace

void add_serve(CLI::App& app, int& exit_status) {
  const auto [command, arguments] = add_command(
      app, exit_status, "serve", "Run the daemon that governs this host", execute_serve);
  add_value(command, "--config", arguments.config, "FILE",
            "A sluice.yaml, re-read on SIGHUP and `sluice reload`; default: none");
  add_value(command, "--shadow", arguments.shadow, "FILE",
            "Another sluice.yaml, re-read with the first: `sluice status`, the page and "
            "sluice_shadow_* say what it would do next");
  add_value(command, "--socket", arguments.socket, "PATH",
            "The Unix socket; default: SLUICE_SOCKET, service.socket or the usual path");
  add_value(command, "--listen", arguments.listen, "ADDRESS",
            "HOST:PORT for metrics and health over TCP, or off; default: 127.0.0.1:9797");
  add_value(command, "--state-dir", arguments.state_dir, "FOLDER",
            "Folder for jobs and what is learned; default: state_dir of the configuration");
  command.add_flag(
      "--private", arguments.is_private,
      "Serve only this user: a socket in the user's private folder, no TCP port, state "
      "in $XDG_STATE_HOME/sluice");
  command
      .add_option_function<std::string>(
          "--exit-when-idle",
          [&asked = arguments](const std::string& text) { asked.exit_when_idle = idle_time(text); },
          "Exit after this long without jobs and clients (30s, 10min); default: never")
      ->type_name("TIME")
      ->check(problem_of_empty);
  command.footer(
      "Examples:\n"
      "  sluice serve\n"
      "  sluice serve --config /etc/sluice.yaml --listen off\n"
      "  sluice serve --config now.yaml --shadow next.yaml\n"
      "  sluice serve --private --exit-when-idle 10min     what `sluice build` starts\n"
      "  curl http://127.0.0.1:9797/metrics\n");
}

}  // namespace sluice::cli
