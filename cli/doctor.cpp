#include "cli/doctor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "base/json_writer.h"
#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/settings/config_from.h"
#include "client/answer_fields.h"
#include "client/client.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct DoctorArguments {
  std::string config, socket;
  bool clean = false;
  bool json = false;
};

Colour colour_of(Finding::State state) {
  if (state == Finding::State::good) return Colour::green;
  return state == Finding::State::limited ? Colour::yellow : Colour::red;
}

/// Where the daemon with this status keeps its state; nullopt if only in memory.
std::optional<std::string> state_folder_of(const json::object& status) {
  const json::object* const state = object_at(status, "state");
  const std::string path = state ? text_at(*state, "path") : "";
  // A relative path would be one of the daemon's own folder.
  if (!path.starts_with('/')) return std::nullopt;
  return std::filesystem::path(path).parent_path().string();
}

/// What the daemon that serves says of itself.
struct Daemon {
  std::string place;                  ///< Its socket; empty if none serves.
  json::object status;                ///< Empty if it does not say how it is.
  std::vector<Finding> findings;      ///< Of its answer.
  std::optional<std::string> folder;  ///< Of its state.
};

Daemon ask_daemon(const std::string& socket) {
  auto reached = Client::reach(socket);
  auto* client = std::get_if<Client>(&reached);
  if (!client) return {};
  Daemon daemon{client->place(), {}, {}, {}};
  try {
    daemon.status = ask(*client, "GET", "/v1/status");
    daemon.folder = state_folder_of(daemon.status);
  } catch (const std::runtime_error& problem) {
    daemon.findings.push_back(
        {Finding::State::limited, "daemon",
         "the daemon at " + daemon.place + " does not report its status: " + problem.what(),
         "see its log"});
  }
  return daemon;
}

/// Whether this problem of a store's file is that the file is one of these.
bool is_told(const std::vector<NewerFile>& told, const std::string& failing,
             const std::string& file) {
  return failing.find("newer version") != std::string::npos &&
         std::ranges::find(told, file, &NewerFile::path) != told.end();
}

int doctor(const DoctorArguments& arguments) {
  const Config config = config_from(arguments.config);
  CleanedUp cleaned;
  if (arguments.clean) cleaned = clean_host();
  const std::string socket = arguments.socket.empty() ? config.service.socket : arguments.socket;
  Daemon daemon = ask_daemon(socket);
  auto folder = daemon.folder;
  struct stat facts {};
  const uid_t user = geteuid();
  const bool is_own =
      folder && (user == 0 || (stat(folder->c_str(), &facts) == 0 && facts.st_uid == user));
  if (!is_own || config.governing.state_dir) folder = state_folder({}, config);
  const HostSurvey survey = survey_host(socket, folder);
  std::vector<Finding> findings = findings_of(survey);
  std::ranges::move(daemon.findings, std::back_inserter(findings));
  const auto told = survey.state ? survey.state->newer : std::vector<NewerFile>{};
  std::ranges::move(unstored_by(daemon.status, daemon.place, told), std::back_inserter(findings));
  if (daemon.folder) {
    findings.push_back(
        {Finding::State::good, "state", "the daemon that serves uses " + *daemon.folder, ""});
  }
  if (arguments.json) {
    std::cout << doctor_json(findings, cleaned.removed);
  } else {
    for (const std::string& each : cleaned.removed) std::cout << "removed " << each << "\n";
    std::cout << doctor_text(findings, style_of(STDOUT_FILENO));
  }
  return is_broken(findings) ? 1 : 0;
}

}  // namespace

std::vector<Finding> unstored_by(const json::object& status, const std::string& place,
                                 const std::vector<NewerFile>& told) {
  const json::object* const state = object_at(status, "state");
  std::vector<Finding> findings;
  const auto add = [&](const char* check, const char* what, const json::object* store) {
    const std::string failing = store ? text_at(*store, "failing") : "";
    if (failing.empty() || is_told(told, failing, text_at(*store, "path"))) return;
    findings.push_back({Finding::State::broken, check,
                        "the daemon at " + place + " cannot store " + what + ": " + failing,
                        "fix that; the daemon retries by itself, but a restart before that loses " +
                            std::string(what)});
  };
  add("state", "its jobs", state);
  add("history", "what it learns", state ? object_at(*state, "history") : nullptr);
  add("record", "its decisions", object_at(status, "record"));
  return findings;
}

std::string doctor_text(const std::vector<Finding>& findings, const Style& style) {
  constexpr std::size_t kStateColumns = 9, kLeastColumns = 20;
  std::size_t widest = 0;
  for (const Finding& each : findings) widest = std::max(widest, columns_of(each.check));
  const std::size_t indent = kStateColumns + widest + 2;
  const std::size_t columns =
      style.width == 0 ? 0 : std::max(style.width, indent + kLeastColumns) - indent;
  std::string text;
  for (const Finding& each : findings) {
    std::string head = painted(style, colour_of(each.state), padded(to_string(each.state), 7)) +
                       "  " + padded(each.check, widest + 2);
    for (const std::string& line : wrapped(harmless(each.found), columns)) {
      text += head + line + "\n";
      head.assign(indent, ' ');
    }
    if (each.advice.empty()) continue;
    for (const std::string& line : wrapped("-> " + harmless(each.advice), columns)) {
      text += head + line + "\n";
    }
  }
  return text;
}

std::string doctor_json(const std::vector<Finding>& findings,
                        const std::vector<std::string>& removed) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("broken", is_broken(findings)).key("findings").begin_array();
  for (const Finding& each : findings) {
    json.begin_object().member("state", to_string(each.state)).member("check", each.check);
    json.member("found", each.found).member("advice", each.advice).end_object();
  }
  json.end_array().member("removed", removed).end_object();
  return text + "\n";
}

void add_doctor(CLI::App& app, int& exit_status) {
  const auto [command, arguments] = add_command(
      app, exit_status, "doctor", "Show what this host has and lacks, and how to fix it", doctor);
  add_value(command, "-c,--config", arguments.config, "FILE", "The daemon's configuration");
  add_value(command, "--socket", arguments.socket, "PATH", "The daemon's socket");
  command.add_flag(
      "--clean", arguments.clean,
      "First kill the processes and remove the cgroups that dead governors left behind");
  command.add_flag("--json", arguments.json, "Print the findings as one JSON object");
  command.footer(
      "ok: nothing to do. limited: works, but lacks some feature. broken: needs repair. "
      "Run it as the user that runs the daemon. Without --clean, it changes nothing.\n\n"
      "Exit status: 0, 1 if something is broken, 2 for wrong usage.\n\n"
      "Examples:\n"
      "  sluice doctor\n"
      "  sudo sluice doctor --config /etc/sluice.yaml\n"
      "  sudo sluice doctor --clean\n"
      "  sluice doctor --json | jq -r '.findings[] | select(.state != \"ok\") | .advice'\n");
}

}  // namespace sluice::cli
