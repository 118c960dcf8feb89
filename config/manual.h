#pragma once

#include <string>

namespace sluice {

/// Texts in the header, the footer and the references of the page.
struct ManualMarks {
  std::string date;     ///< "2026-03-01"
  std::string version;  ///< "0.1.0"
  std::string docs;     ///< The folder where the documents are installed.
};

/// The manual page sluice.yaml(5): docs/config.md for the macros `man`. Pure.
std::string config_manual(const ManualMarks& marks);

}  // namespace sluice
