#include "cli/build/tool_number.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "base/parse.h"
#include "costmodel/real_command.h"

namespace sluice::cli {
namespace {

using Words = std::vector<std::string>;

/// An option as it was written, with its number if it has one.
struct Written {
  std::string text;
  std::optional<std::size_t> number;
};

Written read_option(const Words& words, std::size_t at) {
  const std::string& word = words[at];
  const std::string digits = word.substr(word.find_last_not_of("0123456789") + 1);
  if (!digits.empty()) return {word, parse_as<std::size_t>(digits)};
  const bool is_complete = word.find('=') != std::string::npos || at + 1 == words.size();
  const auto next = is_complete ? std::nullopt : parse_as<std::size_t>(words[at + 1]);
  return next ? Written{word + " " + words[at + 1], next} : Written{word, std::nullopt};
}

std::optional<Written> own_jobs(const Words& words) {
  const auto place = jobserver::own_jobs_place(words);
  return place ? std::optional(read_option(words, *place)) : std::nullopt;
}

bool starts_with_one_of(std::string_view word, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto each) { return word.starts_with(each); });
}

bool is_jobs_of_cmake(const std::string& word) {
  const bool is_number = word.starts_with("-j") && parse_as<std::size_t>(word.substr(2));
  return word == "-j" || is_number || starts_with_one_of(word, {"--parallel", "--jobs"});
}

/// `-j 8`, `-j8`, `--parallel 8` and `--parallel=8` of `cmake --build`, and what follows its `--`;
/// of several, the last. The options of other commands with ";" between them are not its own; of
/// several builds, that of the first that has one.
std::optional<Written> jobs_below_cmake(const Words& words) {
  std::optional<Written> last;
  bool builds = false;
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (words[at] == ";" && last) break;
    builds = words[at] != ";" && (builds || words[at] == "--build");
    if (builds && is_jobs_of_cmake(words[at])) last = read_option(words, at);
  }
  return last;
}

bool is_cmake_build(const Words& words) {
  return !words.empty() && base_name(words[0]) == "cmake" &&
         std::ranges::find(words, "--build") != words.end();
}

/// The folder after `--build`; empty if there is none.
std::string build_folder(const Words& words) {
  const auto at = std::ranges::find(words, "--build");
  return at == words.end() || at + 1 == words.end() ? "" : *(at + 1);
}

/// The value of an entry such as CMAKE_GENERATOR:INTERNAL=Ninja; empty if there is none.
std::string cached(const std::string& cache, const std::string& name) {
  const std::size_t at = cache.find("\n" + name + ":");
  if (at == std::string::npos) return "";
  const std::size_t begin = cache.find('=', at);
  const std::size_t end = cache.find('\n', at + 1);
  return begin == std::string::npos || begin > end ? "" : cache.substr(begin + 1, end - begin - 1);
}

std::string version_text_of(jobserver::Version version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

void ask_ninja(BuildTool& tool, const ToolSurroundings& surroundings) {
  tool.version = surroundings.version(tool.program);
  tool.takes_tokens = jobserver::lacks_for_tokens(tool.version, jobserver::AuthStyle::fifo).empty();
  if (tool.version) tool.name += " " + version_text_of(*tool.version);
}

BuildTool tool_below_cmake(const Words& words, const ToolSurroundings& surroundings) {
  BuildTool tool{
      .name = "cmake", .kind = jobserver::ClientKind::other, .takes_tokens = true, .program = ""};
  const std::string cache = "\n" + surroundings.contents(build_folder(words) + "/CMakeCache.txt");
  const std::string generator = cached(cache, "CMAKE_GENERATOR");
  const bool is_ninja = generator.starts_with("Ninja");
  if (!is_ninja && generator.find("Makefiles") == std::string::npos) return tool;
  tool.kind = is_ninja ? jobserver::ClientKind::ninja : jobserver::ClientKind::make;
  tool.name = is_ninja ? "ninja" : "make";
  tool.program = cached(cache, "CMAKE_MAKE_PROGRAM");
  if (tool.program.empty()) tool.program = tool.name;
  if (is_ninja) ask_ninja(tool, surroundings);
  return tool;
}

/// A number that a variable sets; the tool below cmake gets that of CMAKE_BUILD_PARALLEL_LEVEL as
/// `-j`.
std::optional<Written> jobs_by_variable(const Words& words, const BuildTool& tool,
                                        const EnvironmentVariable& variable) {
  const char* const name = is_cmake_build(words) ? "CMAKE_BUILD_PARALLEL_LEVEL"
                           : tool.kind == jobserver::ClientKind::cargo ? "CARGO_BUILD_JOBS"
                                                                       : nullptr;
  const char* const value = name ? variable(name) : nullptr;
  if (!value || !*value) return std::nullopt;
  return Written{std::string(name) + "=" + value, parse_as<std::size_t>(value)};
}

std::optional<Written> jobs_in_makeflags(const char* makeflags) {
  if (!makeflags) return std::nullopt;
  const auto flag = jobserver::own_jobs_flag(makeflags);
  if (!flag) return std::nullopt;
  return read_option({*flag}, 0);
}

/// `-l4`, `--load-average=4`, `--max-load=4` among the words of the first command.
std::optional<std::string> load_option(const Words& words) {
  for (const std::string& word : words) {
    if (word == "--" || word == ";") break;
    const bool is_short = word.starts_with("-l") &&
                          word.substr(2).find_first_not_of("0123456789.") == std::string::npos;
    if (is_short || starts_with_one_of(word, {"--load-average", "--max-load"})) return word;
  }
  return std::nullopt;
}

Words split(std::string_view text) {
  Words words;
  for (auto word = next_word(text); !word.empty(); word = next_word(text)) {
    words.emplace_back(word);
  }
  return words;
}

void warn_of_load(const Words& words, const BuildTool& tool, const char* makeflags,
                  ToolNumber& number) {
  if (tool.kind != jobserver::ClientKind::make && tool.kind != jobserver::ClientKind::other) return;
  auto option = tool.kind == jobserver::ClientKind::make ? load_option(words) : std::nullopt;
  const bool is_flag = !option;
  if (is_flag) option = load_option(split(makeflags ? makeflags : ""));
  if (!option) return;
  number.warnings.push_back(
      *option + (is_flag ? " in MAKEFLAGS" : "") +
      " makes make wait for the load average, which counts the tasks of all users; "
      "leave it out");
}

/// cmake makes of its own `-j` without a number the `-j` of make, all at once; to ninja it then
/// gives no option, so that ninja does what it does without one.
bool is_left_to_ninja(const Written& written, const Words& words, const BuildTool& tool) {
  return !written.number && is_cmake_build(words) && tool.kind == jobserver::ClientKind::ninja;
}

/// What a number in the command or in a variable means for this tool.
void apply_number(const Written& written, const Words& words, const BuildTool& tool,
                  TokenMeaning meaning, ToolNumber& number) {
  number.asked = written.number;
  if (tool.kind == jobserver::ClientKind::cargo) return;
  // make and ninja take no tokens beside a number of their own.
  number.is_own = true;
  const std::string who = is_cmake_build(words) ? tool.name + " below cmake" : tool.name;
  if (meaning == TokenMeaning::place) {
    const std::string most =
        written.number ? "at most " + std::to_string(*written.number) : std::string("all its jobs");
    number.warnings.push_back(written.text + " stays in effect: " + who + " starts " + most +
                              " at once, and each is held until it fits");
    return;
  }
  number.warnings.push_back(written.text + " makes " + who +
                            " run that many jobs and ignore tokens; leave it out, and use --max to "
                            "limit the jobs");
}

/// The warning of a ninja that takes no tokens. Where its jobs are held, an older one lacks
/// nothing.
std::string own_number_of(const BuildTool& tool, TokenMeaning meaning) {
  const std::string keeps = tool.name + " takes no tokens and uses its own number of jobs";
  const std::string lacks =
      "; " + jobserver::lacks_for_tokens(tool.version, jobserver::AuthStyle::pipe);
  if (meaning == TokenMeaning::permit) return keeps + lacks;
  const bool is_older =
      !jobserver::lacks_for_tokens(tool.version, jobserver::AuthStyle::fifo).empty();
  return keeps + ", each of which is held until it fits" + (is_older ? "" : lacks);
}

}  // namespace

BuildTool build_tool(const Words& words, const ToolSurroundings& surroundings) {
  if (is_cmake_build(words)) return tool_below_cmake(words, surroundings);
  BuildTool tool;
  tool.program = words.empty() ? "" : words[0];
  tool.name = base_name(tool.program);
  tool.kind = jobserver::client_kind(tool.program);
  if (tool.kind == jobserver::ClientKind::ninja) ask_ninja(tool, surroundings);
  return tool;
}

BuildTool told_by(BuildTool tool, jobserver::AuthStyle makeflags) {
  if (tool.kind == jobserver::ClientKind::ninja) {
    tool.takes_tokens = jobserver::lacks_for_tokens(tool.version, makeflags).empty();
  }
  return tool;
}

ToolNumber tool_number(const Words& words, const BuildTool& tool,
                       const EnvironmentVariable& variable, TokenMeaning meaning) {
  ToolNumber number;
  const char* const makeflags = variable("MAKEFLAGS");
  warn_of_load(words, tool, makeflags, number);
  auto written = is_cmake_build(words) ? jobs_below_cmake(words) : own_jobs(words);
  if (!written) written = jobs_by_variable(words, tool, variable);
  if (written && !is_left_to_ninja(*written, words, tool)) {
    apply_number(*written, words, tool, meaning, number);
  } else if (!tool.takes_tokens) {
    number.is_own = true;
    number.warnings.push_back(own_number_of(tool, meaning));
  } else if (const auto flag = jobs_in_makeflags(makeflags)) {
    // The command does not get it: see `jobserver::makeflags_with`.
    number.asked = flag->number;
  }
  return number;
}

std::size_t most_waiting_jobs(double cpus) {
  return static_cast<std::size_t>(std::ceil(2 * std::max(cpus, 0.5))) + 4;
}

}  // namespace sluice::cli
