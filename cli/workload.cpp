#include "cli/workload.h"

#include <boost/json.hpp>

#include "base/parse.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace json = boost::json;
namespace {

/// Keeps the last folder and the name only: people need no more.
std::string shortened(const std::string& file) {
  const auto slash = file.rfind('/');
  const auto before = slash == std::string::npos ? slash : file.rfind('/', slash - 1);
  return before == std::string::npos ? file : file.substr(before + 1);
}

const json::string* text_of(const json::object& entry, std::string_view field) {
  const json::value* value = entry.if_contains(field);
  return value ? value->if_string() : nullptr;
}

std::vector<std::string> entry_arguments(const json::object& entry) {
  if (const json::string* command = text_of(entry, "command")) return split_command(*command);
  std::vector<std::string> argv;
  const json::value* listed = entry.if_contains("arguments");
  if (!listed || !listed->is_array()) return argv;
  for (const json::value& word : listed->get_array()) {
    if (word.is_string()) argv.emplace_back(word.get_string());
  }
  return argv;
}

void redirect_output(std::vector<std::string>& argv, const std::string& object) {
  for (std::size_t i = 0; i + 1 < argv.size(); ++i) {
    if (argv[i] == "-o") argv[i + 1] = object;
    // Keeps dependency files away from the build's own.
    if (argv[i] == "-MF") argv[i + 1] = object + ".d";
  }
}

}  // namespace

std::vector<std::string> split_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < command.size();
    if (escapes) {
      word += command[++i];
      inside = true;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

Workload from_compile_commands(std::string_view text, const std::string& output_folder) {
  boost::system::error_code error;
  const json::value parsed = json::parse(text, error);
  if (error) return "is not JSON: " + error.message();
  if (!parsed.is_array()) return "is not a compile database: expected a JSON array";
  std::vector<WorkItem> items;
  for (const json::value& value : parsed.get_array()) {
    const json::object* entry = value.if_object();
    const std::string where = "entry " + std::to_string(items.size() + 1);
    if (!entry) return where + " is not an object";
    const json::string* file = text_of(*entry, "file");
    const json::string* directory = text_of(*entry, "directory");
    if (!file || !directory) return where + " lacks `file` or `directory`";
    WorkItem item{shortened(std::string(*file)), entry_arguments(*entry), std::string(*directory)};
    if (item.argv.empty()) return where + " has neither `command` nor `arguments`";
    redirect_output(item.argv, output_folder + "/" + std::to_string(items.size() + 1) + ".o");
    items.push_back(std::move(item));
  }
  if (items.empty()) return "has no entries";
  return items;
}

Workload from_lines(std::string_view text) {
  std::vector<WorkItem> items;
  while (!text.empty()) {
    std::string line(next_line(text));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] == '#') continue;
    items.push_back({harmless(line.substr(first)), {"/bin/sh", "-c", line}, ""});
  }
  if (items.empty()) return "has no commands";
  return items;
}

std::vector<WorkItem> built_in_jobs() {
  constexpr int kOfEach = 20;
  std::string lines;
  for (int i = 0; i < kOfEach; ++i) {
    lines += "seq 1500000 | sort | cksum\nsleep 1\nseq 400000 | sort -r | cksum\n";
  }
  return std::get<std::vector<WorkItem>>(from_lines(lines));
}

std::vector<WorkItem> repeated(const std::vector<WorkItem>& items, std::size_t count) {
  std::vector<WorkItem> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    WorkItem item = items[i % items.size()];
    const std::size_t lap = i / items.size();
    for (std::size_t word = 0; lap > 0 && word + 1 < item.argv.size(); ++word) {
      if (item.argv[word] == "-o") item.argv[word + 1] += "." + std::to_string(lap);
    }
    result.push_back(std::move(item));
  }
  return result;
}

}  // namespace sluice::cli
