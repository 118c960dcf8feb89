#include "cli/history.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/config_from.h"
#include "cli/history_view.h"
#include "cli/state_folder.h"
#include "costmodel/history_store.h"

namespace sluice::cli {
namespace {

struct HistoryArguments {
  std::string config;
  std::string state_dir;
  std::string key;
  std::vector<std::string> forgotten;
  bool all = false;
  bool json = false;
};

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// What is remembered in the folder that the arguments name; null, and said, where there is none.
/// A command that only looks makes no folder.
std::unique_ptr<History> history_of(const HistoryArguments& arguments) {
  const Config config = config_from(arguments.config);
  const auto folder = state_folder(arguments.state_dir, config);
  if (!folder) {
    std::cerr << "sluice history: no state folder: HOME is not set; give --state-dir FOLDER\n";
    throw Unusable{};
  }
  const std::filesystem::path file = std::filesystem::path(*folder) / "history.db";
  std::error_code problem;
  if (!std::filesystem::exists(file, problem)) {
    std::cerr << "sluice history: nothing is remembered in " << *folder
              << " (--state-dir names another folder)\n";
    return nullptr;
  }
  const auto say = [](const std::string& line) { std::cerr << "sluice history: " << line << "\n"; };
  const Options& options = config.governing;
  return std::make_unique<History>(options.cost, options.reservation,
                                   open_history_store(*folder, say));
}

int unknown_key(const std::string& key) {
  std::cerr << "sluice history: nothing is known of `" << key << "` (sluice history lists keys)\n";
  return 1;
}

int show(const HistoryArguments& arguments) {
  const auto history = history_of(arguments);
  const auto summaries = history ? history->summaries() : std::vector<History::Summary>{};
  if (arguments.key.empty()) {
    if (arguments.json) std::cout << history_json(summaries);
    if (!arguments.json && history) std::cout << history_table(summaries, seconds_since_1970());
    return 0;
  }
  const auto found = std::ranges::find(summaries, arguments.key, &History::Summary::key);
  if (found == summaries.end()) return unknown_key(arguments.key);
  const std::vector<Sample> runs = history->samples(arguments.key);
  std::cout << (arguments.json ? history_json(*found, runs)
                               : history_detail(*found, runs, seconds_since_1970()));
  return 0;
}

int forget(const HistoryArguments& arguments) {
  if (arguments.all == !arguments.forgotten.empty()) {
    std::cerr << "sluice history forget: give either keys or --all\n";
    return 2;
  }
  const auto history = history_of(arguments);
  std::vector<std::string> keys = arguments.forgotten;
  if (arguments.all && history) {
    for (const History::Summary& each : history->summaries()) keys.push_back(each.key);
  }
  std::vector<std::string> known;
  for (const std::string& key : keys) {
    if (history && history->forget(key)) known.push_back(key);
  }
  if (arguments.json) {
    std::cout << "{\"forgotten\":" << known.size() << "}\n";
  } else {
    std::cout << "forgot " << known.size() << (known.size() == 1 ? " key\n" : " keys\n");
  }
  for (const std::string& key : arguments.forgotten) {
    if (std::ranges::find(known, key) == known.end()) return unknown_key(key);
  }
  return 0;
}

void add_places(CLI::App& command, HistoryArguments& arguments) {
  command.add_option("--state-dir", arguments.state_dir,
                     "The folder; otherwise state_dir of --config, $STATE_DIRECTORY, "
                     "$XDG_STATE_HOME/sluice or ~/.local/state/sluice");
  command.add_option("--config", arguments.config, "A sluice.yaml");
  command.add_flag("--json", arguments.json, "As one JSON object: bytes, seconds");
}

}  // namespace

CLI::App* add_history(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("history", "What jobs have needed, and will");
  auto arguments = std::make_shared<HistoryArguments>();
  add_places(*command, *arguments);
  command->add_option("key", arguments->key, "One key, with each of its runs");
  command->callback([=, &exit_status] {
    if (!command->got_subcommand("forget")) exit_status = show(*arguments);
  });
  command->footer(
      "COST is in points, CORES are busy on average; MEMORY is the expected peak ± its deviation.\n"
      "See docs/history.md for what is learned and how.\n\n"
      "Examples:\n"
      "  sluice history\n"
      "  sluice history g++:t#_heavy.cpp:df08fd8e\n"
      "  sluice history --state-dir /var/lib/sluice --json\n"
      "  sluice history forget build\n");

  CLI::App* forget_command = command->add_subcommand("forget", "Remove what is known of keys");
  add_places(*forget_command, *arguments);
  forget_command->add_option("key", arguments->forgotten, "Keys to forget");
  forget_command->add_flag("--all", arguments->all, "All keys");
  forget_command->callback([=, &exit_status] { exit_status = forget(*arguments); });
  forget_command->footer(
      "A daemon that runs goes on with what it had read until it is started anew.\n\n"
      "Examples:\n"
      "  sluice history forget build deploy\n"
      "  sluice history forget --all --state-dir /var/lib/sluice\n");
  return command;
}

}  // namespace sluice::cli
