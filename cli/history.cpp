#include <pwd.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/state_file.h"
#include "base/value_or_throw.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/history_errors.h"
#include "cli/history_view.h"
#include "cli/record/moment.h"
#include "cli/record_place.h"
#include "cli/settings/config_from.h"
#include "costmodel/store/history_store.h"
#include "sensors/host.h"

namespace sluice::cli {
namespace {

struct HistoryArguments {
  ErrorsQuery record;  ///< Its place is that of the history, too.
  std::string key;
  std::vector<std::string> forgotten;
  std::optional<std::string> user, since;
  bool errors = false;
  bool all = false;
  bool json = false;
};

std::string folder_of(const HistoryArguments& arguments) {
  const RecordPlace& place = arguments.record.place;
  return required_state_folder(place.state_dir, config_from(place.config));
}

/// Opens the store in the folder; null, after printing so, if there is none. Read-only commands
/// create no folder. Throws std::runtime_error if something else is in its place; the store throws
/// it if the file cannot be used.
std::shared_ptr<SampleStore> store_of(const std::string& folder) {
  const std::filesystem::path file = std::filesystem::path(folder) / "history.db";
  refuse_irregular(file);
  std::error_code problem;
  if (!std::filesystem::exists(file, problem)) {
    std::cerr << "sluice history: no history in " << folder
              << " (pass --state-dir for another folder)\n";
    return nullptr;
  }
  const auto say = [](const std::string& line) { std::cerr << "sluice history: " << line << "\n"; };
  return open_stored_history(folder, say);
}

std::unique_ptr<History> stored_history(const HistoryArguments& arguments) {
  const Options options = config_from(arguments.record.place.config).governing;
  auto store = store_of(folder_of(arguments));
  if (!store) return nullptr;
  return std::make_unique<History>(settle(options.cost, options.window.law), options.reservation,
                                   std::move(store),
                                   read_host_facts({}).memory_total.value_or(kAnyMemory));
}

int unknown_key(const std::string& key) {
  std::cerr << "sluice history: no history of `" << key << "` (sluice history lists keys)\n";
  return 2;
}

int show_errors(const HistoryArguments& arguments) {
  ErrorsQuery query = arguments.record;
  ask_for_record(query.place);
  if (arguments.json) query.print = ErrorsQuery::Print::json;
  if (arguments.all) query.rows = ErrorRows::all;
  return show_errors(query);
}

int show_history(const HistoryArguments& arguments) {
  const auto history = stored_history(arguments);
  const auto summaries = history ? history->summaries() : std::vector<History::Summary>{};
  if (arguments.key.empty()) {
    if (arguments.json) std::cout << history_json(summaries);
    if (!arguments.json && history) std::cout << history_table(summaries, unix_seconds());
    return 0;
  }
  bool known = false;
  for (const History::Summary& each : summaries) {
    if (each.key != arguments.key) continue;
    const std::vector<Sample> runs = history->samples(each.key, each.user);
    if (known && !arguments.json) std::cout << "\n";
    std::cout << (arguments.json ? history_json(each, runs)
                                 : history_detail(each, runs, unix_seconds()));
    known = true;
  }
  return known ? 0 : unknown_key(arguments.key);
}

/// The user under which the runs of `name` are stored; nullopt if the name is unknown. Root and the
/// owner of the folder count as one user.
std::optional<std::string> filed_user(const std::string& name, const std::string& folder) {
  const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  if (name == "tcp" || name.starts_with("gearman:")) return name;
  const passwd* const entry = is_number ? nullptr : getpwnam(name.c_str());
  if (!entry && !is_number) return std::nullopt;
  const std::string uid = entry ? std::to_string(entry->pw_uid) : name;
  struct stat facts {};
  const bool known = stat((folder + "/history.db").c_str(), &facts) == 0;
  const bool is_owner = known && uid == std::to_string(facts.st_uid);
  return uid == "0" || is_owner ? "" : uid;
}

/// Forgets the matching samples, of each named key if there are any.
std::vector<ForgottenKey> forget_each(SampleStore& store, SampleFilter which,
                                      const std::vector<std::string>& keys) {
  if (keys.empty()) return store.forget(which);
  std::vector<ForgottenKey> all;
  for (const std::string& key : keys) {
    which.key = key;
    for (ForgottenKey& each : store.forget(which)) all.push_back(std::move(each));
  }
  return all;
}

int forget(const HistoryArguments& arguments) {
  const bool chosen = !arguments.forgotten.empty() || arguments.user || arguments.since;
  if (arguments.all == chosen) refuse("give keys, --user or --since, or --all");
  const auto folder = folder_of(arguments);
  SampleFilter which;
  if (arguments.user) {
    which.user = filed_user(*arguments.user, folder);
    if (!which.user) {
      refuse("--user: no user `" + *arguments.user +
             "`; give a name, a uid, tcp or gearman:HOST:PORT");
    }
  }
  if (arguments.since) {
    const record::WallTime since =
        value_or_throw(moment_of(*arguments.since, std::chrono::system_clock::now()), "--since: ");
    // The times of samples are whole seconds, cut.
    which.since = std::chrono::floor<std::chrono::seconds>(since.time_since_epoch()).count();
  }
  const auto store = store_of(folder);
  const auto forgotten =
      store ? forget_each(*store, which, arguments.forgotten) : std::vector<ForgottenKey>{};
  const auto unknown = std::ranges::find_if(arguments.forgotten, [&](const std::string& key) {
    return std::ranges::find(forgotten, key, &ForgottenKey::key) == forgotten.end();
  });
  const bool all_known = unknown == arguments.forgotten.end();
  if (all_known || !forgotten.empty()) {
    std::cout << (arguments.json ? forgotten_json(forgotten) : forgotten_text(forgotten));
  }
  return all_known ? 0 : unknown_key(*unknown);
}

void add_places(CLI::App& command, HistoryArguments& arguments) {
  add_value(command, "--state-dir", arguments.record.place.state_dir, "FOLDER",
            "The folder; default: state_dir of --config, $STATE_DIRECTORY, "
            "$XDG_STATE_HOME/sluice or ~/.local/state/sluice");
  add_value(command, "--config", arguments.record.place.config, "FILE", kConfigOfPlace);
  command.add_flag("--json", arguments.json, "Print one JSON object, in bytes and seconds");
}

void add_errors(CLI::App& command, HistoryArguments& arguments) {
  CLI::Option* errors = command.add_flag(
      "--errors", arguments.errors,
      "Show from the daemon's record how far off predictions were: used / expected, for each key");
  errors->excludes(command.get_option("key"));
  command.add_flag("--all", arguments.all, "With --errors: show every key, not only the worst")
      ->needs(errors);
  add_value(
      command, "--from", arguments.record.from, "TIME",
      std::string("With --errors: only runs that ended at this time or later: ") + kMomentForms)
      ->needs(errors);
  add_value(command, "--to", arguments.record.to, "TIME",
            "With --errors: only runs that ended by this time, in the same forms")
      ->needs(errors);
  add_value(command, "--socket", arguments.record.place.socket, "PATH",
            "With --errors: the socket of the daemon whose record to read, if you name no folder; "
            "default: SLUICE_SOCKET or the usual paths")
      ->needs(errors);
}

}  // namespace

void add_history(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("history", "Show what jobs have needed and will need");
  auto arguments = std::make_shared<HistoryArguments>();
  add_places(*command, *arguments);
  add_value(*command, "key", arguments->key, "KEY", "Show one key with each of its runs");
  add_errors(*command, *arguments);
  command->callback([=, &exit_status] {
    if (command->got_subcommand("forget")) return;
    exit_status = arguments->errors ? show_errors(*arguments) : show_history(*arguments);
  });
  command->footer(
      "COST is in points, CORES are busy on average; MEMORY is the expected peak +- its deviation. "
      "See docs/history.md for what is learned and how.\n\n"
      "With --errors, MEMORY, CORES and TIME are used / expected: the median, with the 5th and "
      "95th percentiles. ABOVE counts runs whose peak exceeded the memory KEPT for them. COLD "
      "counts the runs before three known ones of their key; the other columns leave them out.\n\n"
      "Exit status: 0, or 2 for a key without history, a history that cannot be used, a record "
      "without\nsuch runs, or wrong usage.\n\n"
      "Examples:\n"
      "  sluice history\n"
      "  sluice history g++:t#_heavy.cpp:df08fd8e\n"
      "  sluice history --state-dir /var/lib/sluice --json\n"
      "  sluice history --errors --from 24h --state-dir /var/lib/sluice\n"
      "  sluice history forget build\n");

  CLI::App* forget_command = command->add_subcommand("forget", "Forget what was learned");
  add_places(*forget_command, *arguments);
  add_value(*forget_command, "key", arguments->forgotten, "KEY", "Keys to forget");
  add_value(*forget_command, "--user", arguments->user, "TEXT",
            "Only the runs of this user: a name, a uid, tcp, gearman:HOST:PORT");
  add_value(*forget_command, "--since", arguments->since, "TEXT",
            std::string("Only runs that ended since then: ") + kMomentForms);
  forget_command->add_flag("--all", arguments->all, "Forget everything");
  forget_command->callback([=, &exit_status] { exit_status = forget(*arguments); });
  forget_command->footer(
      "A running daemon forgets it too, within two seconds.\n\n"
      "Exit status: 0, or 2 if one of the keys had no such runs, or for wrong usage; the runs of "
      "the other keys are forgotten.\n\n"
      "Examples:\n"
      "  sluice history forget build deploy\n"
      "  sluice history forget --user zuul --since 2h --state-dir /var/lib/sluice\n"
      "  sluice history forget --all --state-dir /var/lib/sluice\n");
}

}  // namespace sluice::cli
