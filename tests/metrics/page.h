#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A parsed metrics page.
struct Page {
  std::map<std::string, std::string> types;  ///< By family name.
  std::map<std::string, std::string> helps;
  std::map<std::string, double> samples;  ///< By "name{labels}" as written.
  std::vector<std::string> repeated;      ///< Samples that occur more than once.

  bool has(const std::string& sample) const { return samples.contains(sample); }
};

Page parse_page(std::string_view text);

std::vector<std::string> lines_of(std::string_view text);

/// The whole file; empty if it cannot be read.
std::string read_whole(const std::string& path);

}  // namespace sluice
