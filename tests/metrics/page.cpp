#include "page.h"

#include <fstream>
#include <sstream>

namespace sluice {

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Page parse_page(std::string_view text) {
  Page page;
  for (const std::string& line : lines_of(text)) {
    std::istringstream words(line);
    std::string hash, keyword, name;
    if (line.starts_with("# ")) {
      words >> hash >> keyword >> name >> std::ws;
      std::string rest;
      std::getline(words, rest);
      (keyword == "TYPE" ? page.types : page.helps)[name] = rest;
      continue;
    }
    const std::size_t space = line.rfind(' ');
    const std::string sample = line.substr(0, space);
    if (page.has(sample)) page.repeated.push_back(sample);
    page.samples[sample] = std::stod(line.substr(space + 1));
  }
  return page;
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace sluice
