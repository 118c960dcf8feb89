#include "cli/command_line/parse_problem.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "cli/command_line/option_text.h"

namespace sluice::cli {
namespace {

using Options = std::vector<const CLI::Option*>;

template <typename Kind>
bool is(const CLI::ParseError& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

/// Those of the command and of what it belongs to.
Options options_of(const CLI::App& command) {
  Options options = command.get_options();
  if (!command.get_parent()) return options;
  const Options others = options_of(*command.get_parent());
  options.insert(options.end(), others.begin(), others.end());
  return options;
}

/// The option that a message of CLI11 names first; nullptr if it names none.
const CLI::Option* option_in(std::string_view message, const Options& options) {
  const CLI::Option* first = nullptr;
  std::size_t first_at = message.npos, first_size = 0;
  for (const CLI::Option* each : options) {
    const std::string name = option_name(*each);
    const std::size_t at = name.empty() ? message.npos : message.find(name);
    // Of --job and --jobs at the same place, the longer one is meant.
    if (at > first_at || (at == first_at && name.size() <= first_size)) continue;
    first = each;
    first_at = at;
    first_size = name.size();
  }
  return first_at == message.npos ? nullptr : first;
}

std::string unexpected(const CLI::App& app, const CLI::App& command) {
  const std::vector<std::string> words = app.remaining(true);
  const std::string word = words.empty() ? "" : words.front();
  const bool is_of_a_command = word.starts_with('-') && runs_a_command(command);
  return "unexpected argument " + quote_text(word) +
         (is_of_a_command ? "; put -- before the command" : "");
}

std::string missing(const Options& options) {
  const auto found = std::ranges::find_if(options, [](const CLI::Option* option) {
    return option->get_required() && option->count() == 0;
  });
  return (found == options.end() ? "a command" : option_name(**found)) + " is missing";
}

/// "--a VERB --b": an option of the call and the first of its `others` that is in it, too (`given`:
/// 1), or is not (0).
std::string contradiction(const Options& options, std::size_t given, const char* verb,
                          const std::function<std::set<CLI::Option*>(const CLI::Option&)>& others) {
  for (const CLI::Option* option : options) {
    if (option->count() == 0) continue;
    for (const CLI::Option* other : others(*option)) {
      if (std::min<std::size_t>(other->count(), 1) != given) continue;
      return option_name(*option) + verb + option_name(*other);
    }
  }
  return "options contradict each other";
}

/// "a whole number from 1 to 100", "one of bash, zsh, fish".
std::string accepted(const CLI::Option& option) {
  const OptionText text = option_text(option);
  if (!text.words.empty()) return "one of " + join_words(text.words);
  const bool is_real = option.get_type_name().find("FLOAT") != std::string::npos;
  return std::string(is_real ? "a number" : "a whole number") +
         (text.range.empty() ? "" : " from " + text.range);
}

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::string wrong_value(const CLI::Option& option) {
  const std::string value = option.results().empty() ? "" : option.results().back();
  const OptionText text = option_text(option);
  const bool is_too_large = text.words.empty() && text.range.empty() && is_whole_number(value);
  return option_name(option) + ": " + quote_text(value) +
         (is_too_large ? " is out of range" : " is not " + accepted(option)) +
         did_you_mean(value, text.words);
}

std::string wrong_count(const CLI::Option& option) {
  const std::size_t count = option.results().size();
  if (count > 1)
    return option_name(option) + " is given " + std::to_string(count) + " times; give it once";
  return lacks_value(option);
}

std::string problem_of(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const Options options = options_of(command);
  if (is<CLI::ExtrasError>(error)) return unexpected(app, command);
  if (is<CLI::RequiredError>(error)) return missing(options);
  if (is<CLI::RequiresError>(error)) {
    return contradiction(options, 0, " needs ", &CLI::Option::get_needs);
  }
  if (is<CLI::ExcludesError>(error)) {
    return contradiction(options, 1, " cannot be given with ", &CLI::Option::get_excludes);
  }
  const CLI::Option* option = option_in(error.what(), options);
  if (!option) return error.what();
  if (option->get_items_expected_max() == 0) return option_name(*option) + " takes no value";
  if (is<CLI::ArgumentMismatch>(error)) return wrong_count(*option);
  const OptionText text = option_text(*option);
  const bool is_own = is<CLI::ValidationError>(error) && text.words.empty() && text.range.empty();
  // Our own checks say all of it.
  return is_own ? error.what() : wrong_value(*option);
}

}  // namespace

std::string lacks_value(const CLI::Option& option) {
  const OptionText text = option_text(option);
  const bool is_listed = !text.words.empty() || !text.range.empty();
  return option_name(option) + " needs a value: " + (is_listed ? accepted(option) : text.value);
}

std::string with_help(const CLI::App& command, const std::string& problem) {
  const std::string name = command_name(command);
  return name + ": " + problem + " (see " + name + " --help)";
}

std::string parse_problem(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(app);
  return with_help(command, problem_of(app, command, error));
}

}  // namespace sluice::cli
