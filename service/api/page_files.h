#pragma once

#include <string_view>
#include <vector>

namespace sluice {

/// One file of the page, embedded when the daemon was built.
struct PageFile {
  std::string_view name;  ///< "page.js"
  std::string_view content_type;
  std::string_view plain, gzipped;
};

/// All files that the page needs, so it loads nothing from other hosts. cmake/embed.cmake writes
/// the source from service/api/page and the chart library.
const std::vector<PageFile>& page_files();

}  // namespace sluice
