#include "cli/command_line/words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>

#include "base/suggest.h"
#include "cli/command_line/option_text.h"
#include "cli/command_line/parse_problem.h"

namespace sluice::cli {
namespace {

std::string complaint(const CLI::App& app, const std::string& what, const std::string& word,
                      const std::vector<std::string>& known) {
  return command_name(app) + ": unknown " + what + " " + quote_text(word) +
         did_you_mean(word, known) + " (" + command_name(app) + " --help lists them)";
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return complaint(app, "command", word, names);
}

/// Whether it takes words beside its subcommands, as `history KEY` does.
bool takes_words(const CLI::App& app) {
  return std::ranges::any_of(app.get_options(), &CLI::Option::get_positional);
}

class Reader {
 public:
  Reader(const CLI::App& app, const std::vector<std::string>& words) : app_(&app), words_(words) {}

  std::string problem() {
    while (at_ < words_.size() && words_[at_] != "--") {
      const std::string& word = words_[at_++];
      if (word.size() > 1 && word.front() == '-') {
        if (std::string wrong = take_option(word); !wrong.empty()) return wrong;
        continue;
      }
      if (app_->get_subcommands({}).empty()) {
        if (runs_a_command(*app_)) return "";
        continue;
      }
      const CLI::App* command = find_command(*app_, word);
      if (!command && takes_words(*app_)) continue;
      if (!command) return unknown_command(*app_, word);
      app_ = command;
    }
    return "";
  }

 private:
  std::string take_option(const std::string& word) {
    return word.starts_with("--") ? take_long(word) : take_short(word);
  }

  std::string take_long(const std::string& word) {
    const std::size_t end = word.find('=');
    const std::string name = word.substr(0, end);
    const CLI::Option* option = app_->get_option_no_throw(name);
    if (!option) return complaint(*app_, "option", name, option_names(*app_));
    // CLI11 takes the next word also for `--key=`.
    const bool has_value = end != std::string::npos && end + 1 < word.size();
    return has_value ? "" : skip_value(*option);
  }

  /// One or more flags in one word, or an option with its value in the same word.
  std::string take_short(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string name = std::string("-") + word[i];
      const CLI::Option* option = app_->get_option_no_throw(name);
      if (!option) return complaint(*app_, "option", i == 1 ? word : name, option_names(*app_));
      const bool takes_value = option->get_items_expected_max() > 0;
      if (takes_value) return i + 1 == word.size() ? skip_value(*option) : "";
    }
    return "";
  }

  /// CLI11 would take `--` for a value, and the command that follows for another.
  std::string skip_value(const CLI::Option& option) {
    if (option.get_items_expected_min() == 0) return "";
    if (at_ < words_.size() && words_[at_] == "--") {
      return with_help(*app_, lacks_value(option));
    }
    ++at_;
    return "";
  }

  const CLI::App* app_;
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string> plain_call(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

std::string unknown_word(const CLI::App& app, const std::vector<std::string>& words) {
  return Reader(app, words).problem();
}

}  // namespace sluice::cli
