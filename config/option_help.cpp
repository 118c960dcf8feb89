#include "config/option_help.h"

#include <cstddef>
#include <set>
#include <string_view>

#include "config/reference_text.h"
#include "config/schema.h"

namespace sluice {
namespace {

constexpr std::size_t kHelpColumns = 100;

std::string first_sentence_without_stop(const std::string& text) {
  return text.substr(0, text.find(". "));
}

/// "a", "0" and "b" of "a[0].b".
std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts{""};
  for (const char letter : path) {
    if (letter == ']') continue;
    if (letter == '.' || letter == '[') {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

/// Whether `name` stands for `path`, in which NAME may be any name.
bool stands_for(const std::string& name, const std::string& path) {
  const auto given = parts_of(name), parts = parts_of(path);
  if (given.size() != parts.size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (given[i] != parts[i] && (parts[i] != "NAME" || given[i].empty())) return false;
  }
  return true;
}

/// Wrapped at blanks; every line is indented.
std::string help_lines(std::string_view text) {
  return "  " + wrapped_line(text, kHelpColumns - 2, "\n  ") + "\n";
}

}  // namespace

std::vector<ConfigName> config_names() {
  std::vector<ConfigName> names;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name, const std::string& doc) {
    if (!name.empty() && seen.insert(name).second)
      names.push_back({name, first_sentence_without_stop(doc)});
  };
  const ConfigSchema& schema = config_schema();
  for (const SchemaSection& section : schema.sections) {
    add(section.path, section.doc);
    for (const SchemaOption& option : section.options) add(option.text.path, option.text.doc);
  }
  return names;
}

std::vector<OptionHelp> option_help(const std::string& name) {
  std::vector<OptionHelp> found;
  const ConfigSchema& schema = config_schema();
  for (const SchemaSection& section : schema.sections) {
    const bool whole = name.empty() || (!section.path.empty() && stands_for(name, section.path));
    for (const SchemaOption& option : section.options) {
      if (!whole && !stands_for(name, option.text.path)) continue;
      found.push_back({option.text.path, section.kind, values_text(option), default_text(option),
                       meaning_text(option), option.text.example});
    }
  }
  return found;
}

std::string to_text(const std::vector<OptionHelp>& options) {
  std::string text;
  for (const OptionHelp& option : options) {
    const std::string fallback =
        option.fallback == "required" ? option.fallback : "default: " + option.fallback;
    text += (text.empty() ? "" : "\n") + option.path +
            (option.kind.empty() ? "" : " (kind: " + option.kind + ")") + "\n" +
            help_lines(option.values + "; " + fallback) + help_lines(option.meaning) +
            help_lines("Example: `" + option.example + "`");
  }
  return text;
}

}  // namespace sluice
