#include "service/jobserver/auth_style.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/enum_names.h"

namespace sluice::jobserver {
namespace {

constexpr Version kMakeKnowsAuth{4, 2};
constexpr Version kMakeKnowsFifo{4, 4};
constexpr Version kGccKnowsFifo{13, 0};
constexpr Version kCargoKnowsFifo{1, 70};
constexpr Version kNinjaTakesTokens{1, 13};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// Splits MAKEFLAGS into words like make: at blanks, except after a backslash. A final backslash
/// stands for itself and must not escape the blank that we append.
std::vector<std::string> words_of(std::string_view flags) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t at = 0; at < flags.size(); ++at) {
    if (flags[at] == '\\' && at + 1 < flags.size()) {
      word += flags[at++];
      word += flags[at];
    } else if (flags[at] != ' ' && flags[at] != '\t') {
      word += flags[at] == '\\' ? "\\\\" : std::string(1, flags[at]);
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

/// Whether an option sets the number of jobs; short options may share a word, as in "-kj8".
bool is_jobs_option(ClientKind kind, std::string_view word) {
  if (word.starts_with("--")) return word == "--jobs" || word.starts_with("--jobs=");
  if (word.size() < 2 || word[0] != '-') return false;
  // These options of make and ninja take the rest of the word as their value.
  const std::string_view valued = kind == ClientKind::make ? "CEIWfjlo" : "Ccdfjklt";
  const std::size_t at = word.find_first_of(valued, 1);
  return at != std::string_view::npos && word[at] == 'j';
}

/// Whether the option's value is the next word.
bool takes_next(ClientKind kind, std::string_view word) {
  if (word.size() < 2 || word[0] != '-' || word[1] == '-') return false;
  const std::string_view valued = kind == ClientKind::make ? "CEIWfo" : "Ccdfklt";
  return word.find_first_of(valued, 1) == word.size() - 1;
}

bool aborts_on_fifo(const std::optional<Version>& make) { return make && *make < kMakeKnowsFifo; }

AuthStyle style_for_make(const ClientVersions& versions) {
  if (aborts_on_fifo(versions.make)) {
    return versions.make < kMakeKnowsAuth ? AuthStyle::old_pipe : AuthStyle::pipe;
  }
  if (!versions.make) return AuthStyle::fifo;
  const bool gcc_knows = !versions.gcc || *versions.gcc >= kGccKnowsFifo;
  return gcc_knows ? AuthStyle::fifo : AuthStyle::pipe;
}

}  // namespace

std::string_view to_string(AuthStyle style) {
  static constexpr EnumNames<AuthStyle::old_pipe> kNames{"fifo", "pipe", "both", "old-pipe"};
  return kNames.of(style);
}

std::optional<Version> parse_version(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at]) || (at > 0 && text[at - 1] != ' ')) continue;
    Version version;
    const char* const end = text.data() + text.size();
    const auto major = std::from_chars(text.data() + at, end, version.major);
    if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') continue;
    if (std::from_chars(major.ptr + 1, end, version.minor).ec == std::errc{}) return version;
  }
  return std::nullopt;
}

ClientKind client_kind(std::string_view program) {
  program = program.substr(program.rfind('/') + 1);
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, program) != names.end();
  };
  if (is_one_of({"make", "gmake", "gnumake", "remake"})) return ClientKind::make;
  if (is_one_of({"ninja", "ninja-build", "samu"})) return ClientKind::ninja;
  if (program == "cargo") return ClientKind::cargo;
  // Strip a version suffix and a target prefix.
  const std::size_t dash = program.rfind('-');
  if (dash != std::string_view::npos && is_number(program.substr(dash + 1))) {
    program = program.substr(0, dash);
  }
  program = program.substr(program.rfind('-') + 1);
  return is_one_of({"gcc", "g++", "cc", "c++"}) ? ClientKind::gcc : ClientKind::other;
}

AuthStyle style_for(ClientKind kind, const ClientVersions& versions) {
  const bool may_be_fifo = !aborts_on_fifo(versions.make);
  switch (kind) {
    case ClientKind::ninja:
      // An unknown one may be new.
      if (may_be_fifo && versions.ninja.value_or(kNinjaTakesTokens) >= kNinjaTakesTokens) {
        return AuthStyle::fifo;
      }
      break;
    case ClientKind::cargo:
      if (may_be_fifo) return cargo_style_for(kind, versions);
      break;
    case ClientKind::gcc:
      if (versions.gcc >= kGccKnowsFifo) break;
      return AuthStyle::pipe;
    case ClientKind::make:
    case ClientKind::other:
      break;
  }
  return style_for_make(versions);
}

AuthStyle cargo_style_for(ClientKind kind, const ClientVersions& versions) {
  const bool is_old = kind == ClientKind::cargo && !(versions.cargo >= kCargoKnowsFifo);
  return is_old || aborts_on_fifo(versions.make) ? AuthStyle::pipe : AuthStyle::fifo;
}

std::string lacks_for_tokens(const std::optional<Version>& ninja, AuthStyle makeflags) {
  if (!(ninja >= kNinjaTakesTokens)) return "ninja 1.13 and later take them";
  if (makeflags == AuthStyle::fifo) return "";
  return "it takes them only from a fifo, which a make before 4.4 rejects (if it calls no such "
         "make, use --style fifo)";
}

bool can_be_in_makeflags(std::string_view path) {
  const auto is_blank = [](unsigned char letter) { return letter <= ' '; };
  return !path.empty() && std::ranges::none_of(path, is_blank);
}

std::string not_in_makeflags(std::string_view path) {
  return "the path of the tokens, '" + std::string(path) +
         "', has a blank, which make cannot read: the daemon's socket must be in a folder without";
}

std::string token_options(AuthStyle style, const TokenAddress& address) {
  const std::string fifo = "--jobserver-auth=fifo:" + address.path;
  const std::string numbers = std::to_string(address.read) + "," + std::to_string(address.write);
  switch (style) {
    case AuthStyle::fifo:
      return fifo;
    case AuthStyle::pipe:
      return "--jobserver-auth=" + numbers;
    case AuthStyle::both:
      return fifo + " --jobserver-auth=" + numbers;
    case AuthStyle::old_pipe:
      return "--jobserver-fds=" + numbers;
  }
  return "";
}

std::string cargo_token_options(AuthStyle style, const TokenAddress& address) {
  const bool by_path = style == AuthStyle::fifo || style == AuthStyle::both;
  if (by_path) return token_options(AuthStyle::fifo, address);
  return token_options(AuthStyle::old_pipe, address) + " " +
         token_options(AuthStyle::pipe, address);
}

std::string makeflags_with(std::string_view flags, const std::string& options) {
  std::string before, behind;
  bool variables = false;
  bool first = true;
  for (const std::string& word : words_of(flags)) {
    variables |= word == "--";
    const bool replaced = word.starts_with("--jobserver-") || (!first && word == "-j") ||
                          is_jobs_option(ClientKind::make, word);
    first = false;
    if (variables) {
      behind += " " + word;
    } else if (!replaced) {
      before += before.empty() ? word : " " + word;
    }
  }
  return before + " " + options + behind;
}

std::optional<std::size_t> own_jobs_place(const std::vector<std::string>& command) {
  if (command.empty()) return std::nullopt;
  const ClientKind kind = client_kind(command[0]);
  if (kind == ClientKind::gcc || kind == ClientKind::other) return std::nullopt;
  std::optional<std::size_t> last;
  bool is_of_kind = true;
  for (std::size_t at = 1; at < command.size(); ++at) {
    const bool is_end = command[at] == "--" || (last && command[at] == ";");
    if (is_end) break;
    if (command[at] == ";") {
      is_of_kind = at + 1 < command.size() && client_kind(command[at + 1]) == kind;
    }
    if (!is_of_kind) continue;
    if (is_jobs_option(kind, command[at])) last = at;
    if (takes_next(kind, command[at])) ++at;
  }
  return last;
}

std::optional<std::string> own_jobs_option(const std::vector<std::string>& command) {
  const auto place = own_jobs_place(command);
  return place ? std::optional(command[*place]) : std::nullopt;
}

std::optional<std::string> own_jobs_flag(std::string_view flags) {
  std::optional<std::string> last;
  for (const std::string& word : words_of(flags)) {
    if (word == "--") break;
    if (is_jobs_option(ClientKind::make, word)) last = word;
  }
  return last;
}

}  // namespace sluice::jobserver
