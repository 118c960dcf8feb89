#pragma once

#include <optional>
#include <string>

namespace sluice {

/// The contents of a file, of any length; nullopt, with errno, if it cannot be read.
std::optional<std::string> file_contents(const std::string& path);

}  // namespace sluice
