#pragma once

#include <string>

namespace sluice {

/// The reference of all options in Markdown: the content of docs/config.md.
std::string config_reference_markdown();

}  // namespace sluice
