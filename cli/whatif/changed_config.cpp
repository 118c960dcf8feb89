#include "cli/whatif/changed_config.h"

#include <algorithm>
#include <variant>

namespace sluice::cli {
namespace {

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

}  // namespace

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
