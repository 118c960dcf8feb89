#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "config/config.h"
#include "config/document.h"

namespace sluice {

/// The text of a file, and one byte more than `most` where there is more; or why it cannot be read.
std::variant<std::string, std::vector<ConfigError>> read_text(const std::string& path,
                                                              std::size_t most);

ConfigError in_file(const std::string& file, const DocumentError& error);

/// In the order of the file; an error in an aliased value once, however often it is used; after the
/// hundredth the rest is only counted.
std::vector<ConfigError> put_in_order(std::vector<ConfigError> errors);

/// The configuration in a part of a document, checked. Adds what is wrong with it to `errors`.
Config read_config_tree(const YamlNode& root, std::string file_name, double cpus,
                        std::vector<ConfigError>& errors);

}  // namespace sluice
