#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/document.h"
#include "config/schema.h"

namespace sluice {

/// Stores what the document gives in `config`, whose file is set, and its places in
/// `config.given`. Returns all that is wrong, in no particular order; values that are wrong are
/// not stored and not `given`.
std::vector<ConfigError> read_document(const ConfigSchema& schema, const YamlNode& root,
                                       Config& config);

}  // namespace sluice
