#include "cli/autoscale.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "base/errno_text.h"
#include "base/shell_command.h"
#include "cli/command_line/completion.h"
#include "cli/commands.h"

namespace sluice::cli {
namespace {
namespace fs = std::filesystem;

const char* const kName = "autoscale";
const char* const kProgram = "sluice-autoscale";

}  // namespace

void add_autoscale(CLI::App& app, int&) {
  app.add_subcommand(kName, "Keep as many executors as their jobs need, on many hosts");
}

std::optional<std::vector<std::string>> autoscale_words(std::vector<std::string> words) {
  // The options of that program are completed by itself; its name, by this one.
  if (asks_for_completion(words)) {
    if (words.size() < 3 || words[1] != kName) return std::nullopt;
    words.erase(words.begin() + 1);
    return words;
  }
  // All options of `sluice` itself are flags, so the first other word is the subcommand.
  const auto name = std::find_if(words.begin(), words.end(),
                                 [](const std::string& word) { return !word.starts_with('-'); });
  if (name == words.end() || *name != kName) return std::nullopt;
  words.erase(name);
  return words;
}

int become_autoscale(const std::vector<std::string>& words) {
  std::error_code unknown;
  const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  const std::string beside = folder / kProgram;
  std::vector<std::string> all{kProgram};
  all.insert(all.end(), words.begin(), words.end());
  const auto arguments = pointers_to(all);
  if (!unknown) execv(beside.c_str(), arguments.data());
  if (unknown || errno == ENOENT) execvp(kProgram, arguments.data());
  const int problem = errno;
  std::cerr << "sluice autoscale: ";
  if (problem == ENOENT) {
    std::cerr << "there is no program " << kProgram << ", neither " << beside
              << " nor in $PATH; its Debian package is sluice-autoscale\n";
  } else {
    std::cerr << errno_text(kProgram, problem) << "\n";
  }
  return 2;
}

}  // namespace sluice::cli
