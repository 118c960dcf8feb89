#pragma once

#include <vector>

#include "config/config.h"
#include "config/document.h"
#include "config/schema.h"

namespace sluice {

/// Stores the document's values in `config`, whose `file` must be set, and their positions in
/// `config.given`; says whether it `has_settings`. Returns all errors in no particular order; wrong
/// values are neither stored nor `given`.
std::vector<ConfigError> read_document(const ConfigSchema& schema, const YamlNode& root,
                                       Config& config);

}  // namespace sluice
