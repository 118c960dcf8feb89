#include "cli/manual/surroundings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "base/roff.h"

namespace sluice::cli {
namespace {

bool has(const CLI::App& app, const char* option) {
  return app.get_option_no_throw(option) != nullptr;
}

bool runs_commands(const ManualPage& page) {
  for (const char* name : {"sluice-run", "sluice-batch", "sluice-build", "sluice-jobserver"}) {
    if (page.name == name) return true;
  }
  return false;
}

void add_variables(ManualPage& page, const CLI::App& app) {
  const auto add = [&page](const char* name, const char* text) {
    page.environment.push_back({"\\fB" + roff_literal(name) + "\\fR", text});
  };
  if (has(app, "--socket")) {
    add("SLUICE_SOCKET", "The daemon's socket, if `--socket` is not given.");
    add("XDG_RUNTIME_DIR", "Where the socket of this user's daemon is.");
  }
  if (has(app, "--state-dir")) {
    add("XDG_STATE_HOME", "Where the state folder `sluice` is; default: ~/.local/state.");
  }
  if (runs_commands(page)) {
    add("SLUICE_PERMIT",
        "Set for the command: proves to a `sluice` inside it that it works on "
        "this job's permit; with SLUICE_PERMIT_POINTS, SLUICE_PERMIT_MEMORY and "
        "SLUICE_PERMIT_SOCKET.");
  }
  if (page.name == "sluice-run" || page.name == "sluice-batch") {
    add("SLUICE_RM_MANAGER_ITEMS",
        "Set for the command: the items that it holds of a discrete resource "
        "manager, with commas between them.");
  }
  if (page.name == "sluice-batch") {
    add("SLUICE_SEQ", "Set for each job: its number.");
  }
  if (page.name == "sluice-build" || page.name == "sluice-jobserver") {
    add("MAKEFLAGS", "Set for the command, with CARGO_MAKEFLAGS: the jobserver.");
  }
  if (page.name == "sluice-status" || page.name == "sluice") {
    add("NO_COLOR", "If set and not empty, no colours.");
  }
}

void add_files(ManualPage& page, const CLI::App& app) {
  const auto add = [&page](const char* path, const char* text) {
    page.files.push_back({"\\fI" + roff_literal(path) + "\\fR", text});
  };
  if (has(app, "--socket") || page.name == "sluice") {
    add("/run/sluice/sluice.sock", "The socket of the host's daemon.");
    add("$XDG_RUNTIME_DIR/sluice.sock", "The socket of a daemon that a user started.");
  }
  if (has(app, "--config") || page.name == "sluice" || page.name == "sluice-config") {
    add("/etc/sluice/sluice.yaml",
        "The configuration of the daemon that systemd starts; "
        "see sluice.yaml(5).");
  }
  if (has(app, "--state-dir") || page.name == "sluice") {
    add("/var/lib/sluice", "The state of the host's daemon.");
    add("~/.local/state/sluice", "The state of a user, such as the history.");
  }
}

}  // namespace

void add_surroundings(ManualPage& page, const CLI::App& app) {
  add_variables(page, app);
  add_files(page, app);
}

void add_references(std::vector<ManualPage>& pages) {
  std::vector<std::string> names;
  for (const ManualPage& page : pages) names.push_back(page.name);
  std::sort(names.begin(), names.end());
  for (ManualPage& page : pages) {
    for (const std::string& name : names) {
      const bool near = page.name == "sluice" || name == "sluice" ||
                        page.description.find("`sluice " + name.substr(7 + (name.size() == 6)) +
                                              "`") != std::string::npos;
      if (near && name != page.name) page.see_also.emplace_back(name, 1);
    }
    page.see_also.emplace_back("sluice.yaml", 5);
  }
}

}  // namespace sluice::cli
