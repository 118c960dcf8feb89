#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "config/config.h"
#include "config/document.h"

namespace sluice {

/// Reads a file: at most `most` + 1 bytes, so a longer text shows that the file is too large; or
/// the error.
std::variant<std::string, std::vector<ConfigError>> read_text(const std::string& path,
                                                              std::size_t most);

/// "the file is larger than 1048576 bytes"
std::string larger_than(std::size_t bytes);

ConfigError in_file(const std::string& file, const DocumentError& error);

/// Reads and checks the configuration in a part of a document over `config`, which has the
/// defaults, the file's name and the CPUs. Adds its errors to `errors`.
Config read_config_tree(const YamlNode& root, Config config, std::vector<ConfigError>& errors);

}  // namespace sluice
