// Writes the manual pages, from what --help prints and the table of configuration keys; the build
// runs it.
//
//   sluice_manual FOLDER DATE DOCS HELP...
//
// FOLDER is where man1 and man5 are made, DOCS where the documents will be installed, HELP a file
// with the help of a program that has no subcommands.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/file_contents.h"
#include "base/roff.h"
#include "cli/autoscale/options.h"
#include "cli/command.h"
#include "cli/manual/app_page.h"
#include "cli/manual/help_text.h"
#include "config/manual.h"
#include "sluice/version.h"

namespace {
namespace fs = std::filesystem;
using namespace sluice;
using namespace sluice::cli;

bool write(const fs::path& file, const std::string& content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content << std::flush;
  if (!stream) std::cerr << "sluice_manual: cannot write " << file.string() << "\n";
  return static_cast<bool>(stream);
}

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

/// Adds the files and variables that a command with these options uses or sets.
void add_surroundings(ManualPage& page, const CLI::App& app) {
  add_variables(page, app);
  add_files(page, app);
}

/// Adds to each page the pages that a reader may want next.
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

/// The pages of `sluice` and its subcommands; that of `sluice autoscale` is its program's.
std::vector<ManualPage> all_pages() {
  int exit_status = 0;
  const auto command = make_command(exit_status);
  std::vector<ManualPage> pages = pages_of(*command);
  CLI::App autoscale;
  AutoscaleArguments arguments;
  describe_autoscale(autoscale, arguments);
  for (ManualPage& page : pages) {
    const bool is_autoscale = page.name == "sluice-autoscale";
    if (is_autoscale) page = page_of(autoscale);
    const std::string name = page.name == "sluice" ? "" : page.name.substr(7);
    add_surroundings(page, is_autoscale   ? autoscale
                           : name.empty() ? *command
                                          : *command->get_subcommand(name));
  }
  return pages;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    std::cerr << "sluice_manual: FOLDER DATE DOCS HELP...\n";
    return 2;
  }
  const fs::path folder = words[0];
  const ManualEdition edition{.date = words[1], .version = kVersion, .docs = words[2]};
  std::vector<ManualPage> pages = all_pages();
  for (std::size_t i = 3; i < words.size(); ++i)
    pages.push_back(page_of_help(file_contents(words[i]).value_or("")));
  add_references(pages);
  fs::create_directories(folder / "man1");
  fs::create_directories(folder / "man5");
  bool written = write(folder / "man5/sluice.yaml.5",
                       config_manual({edition.date, edition.version, edition.docs}));
  for (const ManualPage& page : pages) {
    written = write(folder / "man1" / (page.name + ".1"), to_roff(page, edition)) && written;
  }
  return written ? 0 : 1;
}
