#pragma once

#include <string_view>
#include <vector>

namespace sluice {

/// One file of the page, as it was when the daemon was built.
struct PageFile {
  std::string_view name;  ///< "page.js"
  std::string_view content_type;
  std::string_view plain, gzipped;
};

/// All files that the page needs: no other host is asked for anything. The source is written by
/// cmake/embed.cmake from service/api/page and the chart library.
const std::vector<PageFile>& page_files();

}  // namespace sluice
