#pragma once

#include <string>

namespace sluice {

/// What stands in the head and the foot of the page, and in its references.
struct ManualMarks {
  std::string date;     ///< "2026-03-01"
  std::string version;  ///< "0.1.0"
  std::string docs;     ///< The folder where the documents are installed.
};

/// The manual page sluice.yaml(5): docs/config.md for the macros `man`. Pure.
std::string config_manual(const ManualMarks& marks);

}  // namespace sluice
