// Writes the manual pages, from what --help prints and the table of configuration keys; the build
// runs it.
//
//   sluice_manual FOLDER DATE DOCS HELP...
//
// FOLDER is where man1 and man5 are made, DOCS where the documents will be installed, HELP a file
// with the help of a program that has no subcommands.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cli/autoscale/options.h"
#include "cli/command.h"
#include "cli/manual/app_page.h"
#include "cli/manual/help_text.h"
#include "cli/manual/surroundings.h"
#include "config/manual.h"
#include "sluice/version.h"

namespace {
namespace fs = std::filesystem;
using namespace sluice;
using namespace sluice::cli;

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool write(const fs::path& file, const std::string& content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content << std::flush;
  if (!stream) std::cerr << "sluice_manual: cannot write " << file.string() << "\n";
  return static_cast<bool>(stream);
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
    pages.push_back(page_of_help(contents_of(words[i])));
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
