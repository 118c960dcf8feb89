#include "cli/batch/template.h"

#include <algorithm>
#include <array>

#include "base/shell_command.h"

namespace sluice::cli {
namespace {

constexpr std::array<std::string_view, 6> kPlaces{"{}", "{.}", "{/}", "{//}", "{/.}", "{#}"};

std::string_view base_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Without the extension; a dot in a folder's name does not start one.
std::string_view stem_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  const bool none =
      dot == std::string_view::npos || (slash != std::string_view::npos && dot < slash);
  return none ? path : path.substr(0, dot);
}

std::string value_of(std::string_view place, std::string_view argument, std::size_t number) {
  if (place == "{#}") return std::to_string(number);
  if (place == "{.}") return shell_quoted(stem_of(argument));
  if (place == "{/}") return shell_quoted(base_of(argument));
  if (place == "{//}") return shell_quoted(folder_of(argument));
  if (place == "{/.}") return shell_quoted(stem_of(base_of(argument)));
  return shell_quoted(argument);
}

/// The placeholder that starts at this brace; empty if none does.
std::string_view place_at(std::string_view text) {
  for (const std::string_view place : kPlaces) {
    if (text.starts_with(place)) return place;
  }
  return {};
}

}  // namespace

BatchTemplate::BatchTemplate(const std::vector<std::string>& words) {
  for (const std::string& word : words) text_ += (text_.empty() ? "" : " ") + word;
  const bool placed = std::any_of(kPlaces.begin(), kPlaces.end(), [&](std::string_view place) {
    return text_.find(place) != std::string::npos;
  });
  if (!placed) text_ += " {}";
}

std::string BatchTemplate::filled(std::string_view argument, std::size_t number) const {
  std::string line;
  std::string_view rest = text_;
  while (!rest.empty()) {
    const std::size_t brace = std::min(rest.find('{'), rest.size());
    line += rest.substr(0, brace);
    rest.remove_prefix(brace);
    if (rest.empty()) break;
    const std::string_view place = place_at(rest);
    line += place.empty() ? "{" : value_of(place, argument, number);
    rest.remove_prefix(std::max<std::size_t>(1, place.size()));
  }
  return line;
}

std::variant<BatchWords, std::string> split_batch_words(const std::vector<std::string>& words) {
  const auto is_separator = [](const std::string& word) {
    return word == ":::" || word == "::::" || word == ":::+" || word == "::::+";
  };
  const auto at = std::find_if(words.begin(), words.end(), is_separator);
  BatchWords split{{words.begin(), at}, std::nullopt};
  if (at == words.end()) return split;
  if (*at != ":::") return "`" + *at + "` is not supported; give a file of arguments with --file";
  if (std::any_of(at + 1, words.end(), is_separator)) {
    return "give `:::` only once: one argument per job";
  }
  split.arguments.emplace(at + 1, words.end());
  return split;
}

}  // namespace sluice::cli
