#include "costmodel/real_command.h"

#include <array>
#include <cctype>
#include <utility>

#include "costmodel/shell_words.h"

namespace sluice {
namespace {

using Words = std::vector<std::string>;

/// Programs that run the command in their arguments, and the number of arguments of their own
/// before it, without options.
struct Wrapper {
  std::string_view name;
  std::size_t arguments;
  std::string_view valued;  ///< Its short options that take the next word as value.
};
constexpr std::array<Wrapper, 19> kWrappers{{{"env", 0, "uCS"},
                                             {"nice", 0, "n"},
                                             {"ionice", 0, "cn"},
                                             {"nohup", 0, ""},
                                             {"time", 0, "of"},
                                             {"timeout", 1, "ks"},
                                             {"stdbuf", 0, "ioe"},
                                             {"setsid", 0, ""},
                                             {"taskset", 1, ""},
                                             {"chrt", 1, ""},
                                             {"unbuffer", 0, ""},
                                             {"exec", 0, ""},
                                             {"command", 0, ""},
                                             {"ccache", 0, ""},
                                             {"sccache", 0, ""},
                                             {"distcc", 0, ""},
                                             {"icecc", 0, ""},
                                             {"gomacc", 0, ""},
                                             {"sluice-launch", 0, ""}}};

/// Commands that do a line's side work.
constexpr std::array<std::string_view, 20> kAside{
    ":",     "[",    "cd",     "cp", "echo", "export", "ln",    "mkdir", "mv",   "printf",
    "pushd", "read", "return", "rm", "set",  "test",   "touch", "true",  "trap", "ulimit"};
/// Shell keywords before a command.
constexpr std::array<std::string_view, 11> kKeywords{"if", "then", "else", "elif", "while", "until",
                                                     "do", "{",    "!",    "time", "fi"};
constexpr std::array<std::string_view, 5> kShells{"sh", "bash", "dash", "ksh", "zsh"};
constexpr std::array<std::string_view, 4> kInterpreters{"python", "perl", "ruby", "node"};

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; }) &&
         !std::isdigit(static_cast<unsigned char>(word[0]));
}

std::size_t after_assignments(const Words& words, std::size_t at) {
  while (at < words.size() && is_assignment(words[at])) ++at;
  return at;
}

/// Where the command run by a wrapper at `at` starts; `at` if it is not a wrapper.
std::size_t after_wrapper(const Words& words, std::size_t at) {
  const std::string name = base_name(words[at]);
  const auto wrapper = std::ranges::find(kWrappers, name, &Wrapper::name);
  if (wrapper == kWrappers.end()) return at;
  std::size_t next = at + 1;
  while (next < words.size() && is_option(words[next])) {
    const std::string& option = words[next++];
    const bool alone = option.size() == 2;
    if (alone && wrapper->valued.find(option[1]) != std::string_view::npos) ++next;
    if (option == "--") break;
  }
  next = after_assignments(words, next) + wrapper->arguments;
  return next < words.size() ? next : at;
}

Words without_wrappers(Words words) {
  std::size_t at = after_assignments(words, 0);
  if (at == words.size()) return words;
  for (std::size_t next = after_wrapper(words, at); next != at; next = after_wrapper(words, at)) {
    at = next;
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  return words;
}

/// The line of `sh -c LINE`; null if the command is not one.
const std::string* line_of_shell(const Words& words) {
  if (words.empty() || !holds(kShells, base_name(words[0]))) return nullptr;
  for (std::size_t at = 1; at + 1 < words.size() && is_option(words[at]); ++at) {
    if (words[at][1] != '-' && words[at].back() == 'c') return &words[at + 1];
  }
  return nullptr;
}

/// "pytest" for `-m pytest`, "train.py" for `-u train.py`; empty if neither.
std::string script_of(const Words& words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (words[at] == "-m" && at + 1 < words.size()) return words[at + 1];
    if (words[at] == "-c" || words[at] == "-e") return "";
    if (!is_option(words[at])) return base_name(words[at]);
  }
  return "";
}

std::string program_in(const Words& words) {
  if (words.empty()) return "";
  const std::string name = base_name(words[0]);
  const bool interprets = holds(kShells, name) || begins_with_one_of(kInterpreters, name);
  const std::string script = interprets ? script_of(words) : "";
  return script.empty() ? name : script;
}

/// The commands of a line, without redirections and leading keywords.
std::vector<Words> commands_of(const std::vector<ShellWord>& words) {
  std::vector<Words> commands(1);
  bool target = false;
  for (const ShellWord& word : words) {
    const bool skipped = std::exchange(target, word.kind == ShellWord::Kind::redirection);
    if (word.kind == ShellWord::Kind::separator) {
      commands.emplace_back();
    } else if (word.kind == ShellWord::Kind::word && !skipped) {
      const bool in_front = commands.back().empty() && holds(kKeywords, word.text);
      if (!in_front) commands.back().push_back(word.text);
    }
  }
  std::erase_if(commands, [](const Words& command) { return command.empty(); });
  return commands;
}

RealCommand from_line(const std::string& line);

RealCommand from_words(Words words) {
  words = without_wrappers(std::move(words));
  if (const std::string* line = line_of_shell(words)) {
    RealCommand inner = from_line(*line);
    if (!inner.words.empty()) return inner;
  }
  std::string program = program_in(words);
  return {std::move(program), std::move(words)};
}

RealCommand from_line(const std::string& line) {
  const std::vector<Words> commands = commands_of(shell_words(line));
  if (commands.size() == 1) return from_words(commands[0]);
  RealCommand all;
  for (const Words& command : commands) {
    RealCommand one = from_words(command);
    if (all.program.empty() && !holds(kAside, one.program)) all.program = one.program;
    all.words.insert(all.words.end(), one.words.begin(), one.words.end());
    all.words.emplace_back(";");
  }
  if (all.program.empty() && !commands.empty()) all.program = base_name(commands[0][0]);
  return all;
}

}  // namespace

RealCommand real_command(std::span<const std::string> command) {
  return from_words(Words(command.begin(), command.end()));
}

std::string base_name(const std::string& path) {
  const std::size_t last = path.find_last_not_of('/');
  if (last == std::string::npos) return path;
  const std::size_t slash = path.rfind('/', last);
  const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(start, last + 1 - start);
}

}  // namespace sluice
