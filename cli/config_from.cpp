#include "cli/config_from.h"

#include <iostream>
#include <utility>

#include "sluice/embed.h"

namespace sluice::cli {

Config config_from(const std::string& path) {
  const double cpus = usable_cpus();
  if (path.empty()) {
    Config defaults;
    defaults.cpus = cpus;
    return defaults;
  }
  ConfigResult result = read_config(path, cpus);
  if (auto* config = std::get_if<Config>(&result)) return std::move(*config);
  for (const ConfigError& error : std::get<std::vector<ConfigError>>(result)) {
    std::cerr << to_string(error) << "\n";
  }
  throw Unusable{};
}

}  // namespace sluice::cli
