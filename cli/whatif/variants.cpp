#include "cli/whatif/variants.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <string_view>
#include <utility>

#include "base/parse.h"
#include "base/values.h"

namespace sluice::cli {
namespace {

/// One value of an option, applied to a variant; what it adds to its name.
struct Choice {
  std::string name;
  std::function<void(Variant&)> apply;
};
using Choices = std::vector<Choice>;

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  for (const auto& part : text | std::views::split(',')) {
    parts.emplace_back(part.begin(), part.end());
  }
  return parts;
}

/// Adds a value, unless the option has it already.
void add_choice(Choices& choices, Choice choice) {
  const bool is_known = std::ranges::find(choices, choice.name, &Choice::name) != choices.end();
  if (!is_known) choices.push_back(std::move(choice));
}

/// The values to try for one option of the configuration.
struct OptionChoices {
  std::string path;
  Choices choices;
};

/// Adds the values of one `--set`; what is wrong with it.
std::optional<std::string> add_setting(const std::string& setting,
                                       std::vector<OptionChoices>& options) {
  const std::size_t sign = setting.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == setting.size()) {
    return "--set: `" + setting + "` is not like window.law=knee,rfc";
  }
  const std::string path = setting.substr(0, sign);
  auto option = std::ranges::find(options, path, &OptionChoices::path);
  if (option == options.end()) {
    options.push_back({path, {}});
    option = std::prev(options.end());
  }
  for (const std::string& value : parts_of(std::string_view(setting).substr(sign + 1))) {
    add_choice(option->choices, {path + "=" + value, [path, value](Variant& variant) {
                                   variant.settings.push_back({path, value});
                                 }});
  }
  return std::nullopt;
}

std::variant<Choices, std::string> cpu_choices(const std::string& text) {
  Choices choices;
  for (const std::string& part : parts_of(text)) {
    const auto cpus = parse_number(part);
    if (!cpus || *cpus <= 0 || *cpus > 10'000) {
      return "--cpus: `" + part + "` is not a number above 0, such as 4 or 1.5";
    }
    add_choice(choices, {part + (*cpus == 1 ? " CPU" : " CPUs"),
                         [cpus](Variant& variant) { variant.cpus = *cpus; }});
  }
  return choices;
}

std::variant<Choices, std::string> memory_choices(const std::string& text) {
  Choices choices;
  for (const std::string& part : parts_of(text)) {
    const auto parsed = parse_size(part);
    const auto* memory = std::get_if<Bytes>(&parsed);
    if (!memory || *memory == Bytes{0})
      return "--memory: `" + part + "` is not a size such as 8GiB";
    add_choice(choices, {part, [bytes = *memory](Variant& variant) { variant.memory = bytes; }});
  }
  return choices;
}

Choices file_choices(const std::vector<std::string>& files) {
  Choices choices;
  for (const std::string& file : files) {
    add_choice(choices, {file, [file](Variant& variant) { variant.config_file = file; }});
  }
  return choices;
}

using Settings = std::vector<ConfigSetting>;
using Errors = std::vector<ConfigError>;

std::string text_of(const Settings& settings) {
  std::string text;
  for (const ConfigSetting& each : settings) {
    text += (text.empty() ? "--set " : " --set ") + each.path + "=" + each.value;
  }
  return text;
}

bool has_message(const ConfigResult& result, const std::string& message) {
  const auto* errors = std::get_if<Errors>(&result);
  return errors && std::ranges::find(*errors, message, &ConfigError::message) != errors->end();
}

/// Each variant with each choice.
std::vector<Variant> product(const std::vector<Variant>& variants, const Choices& choices) {
  std::vector<Variant> all;
  for (const Variant& variant : variants) {
    for (const Choice& choice : choices) {
      Variant& each = all.emplace_back(variant);
      each.name += (each.name.empty() ? "" : ", ") + choice.name;
      choice.apply(each);
    }
  }
  return all;
}

}  // namespace

std::variant<std::vector<Variant>, std::string> variants_of(const Grid& grid) {
  std::vector<Choices> dimensions;
  if (!grid.config_files.empty()) dimensions.push_back(file_choices(grid.config_files));
  std::vector<OptionChoices> options;
  for (const std::string& each : grid.settings) {
    if (auto problem = add_setting(each, options)) return *std::move(problem);
  }
  for (OptionChoices& each : options) dimensions.push_back(std::move(each.choices));
  std::vector<std::variant<Choices, std::string>> parsed;
  if (!grid.cpus.empty()) parsed.push_back(cpu_choices(grid.cpus));
  if (!grid.memory.empty()) parsed.push_back(memory_choices(grid.memory));
  for (auto& each : parsed) {
    if (auto* problem = std::get_if<std::string>(&each)) return std::move(*problem);
    dimensions.push_back(std::get<Choices>(std::move(each)));
  }
  if (dimensions.empty()) return std::vector<Variant>{};
  std::size_t count = 1;
  for (const Choices& each : dimensions) {
    count *= each.size();
    if (count > kMostVariants) {
      return "these are more than " + std::to_string(kMostVariants) + " combinations";
    }
  }
  std::vector<Variant> variants(1);
  for (const Choices& each : dimensions) variants = product(variants, each);
  return variants;
}

ConfigResult changed_config(const std::string& text, const std::vector<ConfigSetting>& settings,
                            const std::string& name, double cpus) {
  ConfigResult changed = parse_config_with(text, settings, name, cpus);
  auto* errors = std::get_if<Errors>(&changed);
  if (!errors || std::holds_alternative<Errors>(parse_config(text, name, cpus))) return changed;
  for (ConfigError& error : *errors) {
    const auto causes = [&](const ConfigSetting& each) {
      return has_message(parse_config_with(text, {each}, name, cpus), error.message);
    };
    const auto cause = std::ranges::find_if(settings, causes);
    error.file = text_of(cause == settings.end() ? settings : Settings{*cause});
    // Of a contradiction, this is the place of a value that was right before.
    error.line = error.column = 0;
  }
  return changed;
}

}  // namespace sluice::cli
