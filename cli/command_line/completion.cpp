#include "cli/command_line/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <set>

#include "base/enum_names.h"
#include "cli/command_line/option_text.h"

namespace sluice::cli {
namespace {

using Kind = Completion::Kind;

constexpr EnumNames<Kind::command> kKinds("words", "files", "folders", "command");

bool has_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// The command that a subcommand runs, which stands after its options.
bool is_command(const CLI::Option& option) {
  return option.get_positional() && option.get_name() == "command";
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  std::vector<const CLI::Option*> positionals;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) positionals.push_back(option);
  }
  return positionals;
}

bool has_command(const CLI::App& app) {
  return std::ranges::any_of(positionals_of(app),
                             [](const CLI::Option* option) { return is_command(*option); });
}

/// Null if the subcommand takes no further word of its own.
const CLI::Option* positional_at(const CLI::App& app, std::size_t index) {
  const auto positionals = positionals_of(app);
  if (index < positionals.size()) return positionals[index];
  const bool goes_on = !positionals.empty() && positionals.back()->get_items_expected_max() > 1;
  return goes_on ? positionals.back() : nullptr;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<CompletionWord> command_words(const CLI::App& app) {
  std::vector<CompletionWord> words;
  for (const CLI::App* each : shown_commands(app)) {
    words.push_back({each->get_name(), first_line(each->get_description())});
  }
  return words;
}

Kind kind_of(const std::string& value) {
  for (const char* file : {"FILE", "FILE.svg|png", "SCENARIO.yaml", "PATH"}) {
    if (value == file) return Kind::files;
  }
  return value == "FOLDER" || value == "DIR" ? Kind::folders : Kind::words;
}

/// The words of a call, one after the other.
class Call {
 public:
  explicit Call(const CLI::App& app) : app_(&app) {}

  /// Reads a word before the cursor; `at` is its place in the call.
  void read(const std::string& word, std::size_t at) {
    if (command_at_) {
      has_arguments_ = has_arguments_ || word == ":::";
    } else if (awaits_value_) {
      given_[option_name(*awaits_value_)] = word;
      awaits_value_ = nullptr;
    } else if (word == "--" && !only_words_) {
      only_words_ = true;
      if (has_command(*app_)) command_at_ = at + 1;
    } else if (word.size() > 1 && word.front() == '-' && !only_words_) {
      read_option(word);
    } else {
      read_plain(word, at);
    }
  }

  Completion completion(const std::string& typed, std::size_t at) const {
    Completion result;
    result.given = given_;
    const std::size_t equals = typed.starts_with("--") ? typed.find('=') : typed.npos;
    if (command_at_) {
      result.kind = has_arguments_ ? Kind::files : Kind::command;
      result.command_at = *command_at_;
    } else if (awaits_value_) {
      add_values(result, *awaits_value_, typed);
    } else if (equals != typed.npos && !only_words_) {
      result.before = typed.substr(0, equals + 1);
      const CLI::Option* option = app_->get_option_no_throw(typed.substr(0, equals));
      if (option && has_value(*option)) add_values(result, *option, typed);
    } else if (typed.starts_with('-') && !only_words_) {
      add_options(result, typed);
    } else {
      add_plain(result, typed, at);
    }
    return result;
  }

 private:
  void read_option(const std::string& word) {
    if (word.starts_with("--")) return read_long(word);
    read_short(word);
  }

  void read_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    const CLI::Option* option = app_->get_option_no_throw(word.substr(0, equals));
    if (!option) return;
    seen_.insert(option);
    if (!has_value(*option)) return;
    if (equals == word.npos) {
      awaits_value_ = option;
    } else {
      given_[option_name(*option)] = word.substr(equals + 1);
    }
  }

  /// One or more flags in one word, or an option with its value in the same word.
  void read_short(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const CLI::Option* option = app_->get_option_no_throw(std::string("-") + word[i]);
      if (!option) return;
      seen_.insert(option);
      if (!has_value(*option)) continue;
      if (i + 1 == word.size()) {
        awaits_value_ = option;
      } else {
        given_[option_name(*option)] = word.substr(i + 1);
      }
      return;
    }
  }

  void read_plain(const std::string& word, std::size_t at) {
    const CLI::App* const command = find_command(*app_, word);
    if (command && plain_words_ == 0) {
      app_ = command;
      seen_.clear();
    } else if (has_command(*app_)) {
      command_at_ = at;
    } else {
      ++plain_words_;
    }
  }

  void add_values(Completion& result, const CLI::Option& option, const std::string& typed) const {
    const OptionText text = option_text(option);
    result.value = text.value;
    result.kind = kind_of(text.value);
    std::vector<CompletionWord> words;
    for (const std::string& word : text.words) words.push_back({word, ""});
    add_fitting(result, words, typed);
  }

  /// Whether the option can still be given.
  bool is_open(const CLI::Option& option) const {
    if (option.get_positional() || option.get_group().empty()) return false;
    if (seen_.contains(&option)) return option.get_items_expected_max() > 1;
    return std::ranges::none_of(option.get_excludes(),
                                [&](CLI::Option* each) { return seen_.contains(each); });
  }

  void add_options(Completion& result, const std::string& typed) const {
    std::vector<CompletionWord> words;
    for (const CLI::Option* option : app_->get_options()) {
      if (!is_open(*option)) continue;
      const OptionText text = option_text(*option);
      for (const std::string& name : text.names) words.push_back({name, first_line(text.meaning)});
    }
    add_fitting(result, words, typed);
  }

  void add_plain(Completion& result, const std::string& typed, std::size_t at) const {
    const auto commands =
        plain_words_ == 0 && !only_words_ ? command_words(*app_) : std::vector<CompletionWord>{};
    add_fitting(result, commands, typed);
    const CLI::Option* positional = positional_at(*app_, plain_words_);
    if (positional && is_command(*positional)) {
      result.kind = Kind::command;
      result.command_at = at;
    } else if (positional) {
      add_values(result, *positional, typed);
    } else if (commands.empty() && !only_words_) {
      add_options(result, typed);
    }
  }

  const CLI::App* app_;
  const CLI::Option* awaits_value_ = nullptr;
  std::set<const CLI::Option*> seen_;
  std::map<std::string, std::string> given_;
  std::size_t plain_words_ = 0;
  bool only_words_ = false;  ///< After `--`.
  std::optional<std::size_t> command_at_;
  bool has_arguments_ = false;  ///< After `:::` of `sluice batch`.
};

/// `help COMMAND` is told as `COMMAND --help`, but its words are only subcommands.
bool asks_for_help(const std::vector<std::string>& words) {
  return words.size() > 1 && words.front() == "help";
}

Completion complete_help(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* place = &app;
  for (std::size_t at = 1; at + 1 < words.size(); ++at) {
    place = find_command(*place, words[at]);
    if (!place) return {};
  }
  Completion result;
  add_fitting(result, command_words(*place), words.back());
  return result;
}

}  // namespace

bool asks_for_completion(const std::vector<std::string>& words) {
  return !words.empty() && words.front() == kCompletionCall;
}

Completion complete(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  if (asks_for_help(words)) return complete_help(app, words);
  Call call(app);
  for (std::size_t at = 0; at + 1 < words.size(); ++at) call.read(words[at], at);
  return call.completion(words.back(), words.size() - 1);
}

void add_fitting(Completion& completion, const std::vector<CompletionWord>& words,
                 const std::string& typed) {
  for (const CompletionWord& each : words) {
    const std::string word = completion.before + each.word;
    if (word.starts_with(typed)) completion.words.push_back({word, each.meaning});
  }
}

std::string completion_text(const Completion& completion) {
  std::string text(kKinds.of(completion.kind));
  if (completion.kind == Kind::command) text += " " + std::to_string(completion.command_at);
  for (const CompletionWord& each : completion.words)
    text += "\n" + each.word + "\t" + each.meaning;
  return text + "\n";
}

}  // namespace sluice::cli
