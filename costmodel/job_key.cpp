#include "costmodel/job_key.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "costmodel/real_command.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSubject = 48;
constexpr std::size_t kMostProgram = 64;
constexpr std::size_t kMostVariant = 24;

/// Options whose value is an output path.
constexpr std::array<std::string_view, 8> kOutputs{"-o",  "--output", "--out-dir", "-MF",
                                                   "-MT", "-MQ",      "--outdir",  "--target-dir"};
/// Options whose digits affect the translation.
constexpr std::array<std::string_view, 6> kExactOptions{"-O", "-std=", "-m", "-f", "-W", "-g"};
/// Extensions of files that a job is about, rather than made of.
constexpr std::array<std::string_view, 22> kSources{
    ".c",  ".cc", ".cpp", ".cxx", ".C",  ".m",     ".mm",  ".rs", ".go", ".java", ".kt",
    ".py", ".pl", ".rb",  ".js",  ".ts", ".swift", ".f90", ".s",  ".S",  ".tex",  ".cu"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

/// A run of letters and digits that is a hash: at least 7 hexadecimal digits, some of them decimal.
bool is_hash(std::string_view run) {
  return run.size() >= 7 && std::all_of(run.begin(), run.end(), is_hex) &&
         std::any_of(run.begin(), run.end(), is_digit);
}

/// "t12_a.cpp" as "t#_a.cpp", a hash as "#".
std::string without_numbers(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto run_end =
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_alnum);
    std::string_view run = text.substr(at, static_cast<std::size_t>(run_end - text.begin()) - at);
    at += std::max<std::size_t>(run.size(), 1);
    if (run.empty()) result += text[at - 1];
    if (is_hash(run)) run = "0";
    for (const char c : run) {
      const bool repeats = is_digit(c) && !result.empty() && result.back() == '#';
      if (!repeats) result += is_digit(c) ? '#' : c;
    }
  }
  return result;
}

/// The numbers that `without_numbers` removes from the text, each followed by a comma.
std::string numbers_in(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    while (at < text.size() && is_alnum(text[at])) ++at;
    const std::string_view run = text.substr(start, at - start);
    if (run.empty()) ++at;
    // Digits only may be a size.
    if (is_hash(run) && !std::all_of(run.begin(), run.end(), is_digit)) continue;
    for (const char c : run) {
      const bool separates = !is_digit(c) && !result.empty() && result.back() != ',';
      if (is_digit(c)) result += c;
      if (separates) result += ',';
    }
    if (!result.empty() && result.back() != ',') result += ',';
  }
  return result;
}

/// Whether mktemp or a compiler may have generated the name: "tmp.aB3dE9", "cc7aBcDe.o".
bool looks_random(std::string_view name) {
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t start = at;
    int kinds = 0;
    while (at < name.size() && is_alnum(name[at])) {
      const auto c = static_cast<unsigned char>(name[at++]);
      kinds |= std::isdigit(c) ? 1 : std::isupper(c) ? 2 : 4;
    }
    const bool mixed = (kinds & (kinds - 1)) != 0;
    if (mixed && at - start >= 6) return true;
    if (at == start) ++at;
  }
  return false;
}

bool is_below(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path.rfind(folder, 0) == 0 && path[folder.size()] == '/';
}

std::optional<std::string> below_temporary(const std::string& path, const KeyPlace& place) {
  for (const std::string& folder : place.temporary) {
    if (folder.empty() || !is_below(path, folder)) continue;
    const std::string rest = path.substr(folder.size() + 1);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string first = rest.substr(0, slash);
    if (!looks_random(first)) return "@tmp/" + rest;
    if (slash < rest.size()) return "@tmp" + rest.substr(slash);
    const std::string extension = fs::path(first).extension().string();
    return "@tmp" + (looks_random(extension) ? "" : extension);
  }
  return std::nullopt;
}

/// Makes a path near the working directory relative to it; leaves others as they are.
std::string from_here(const std::string& path, const KeyPlace& place) {
  constexpr std::ptrdiff_t kMostUp = 3;
  const fs::path here = fs::path(place.directory).lexically_normal();
  const fs::path there = fs::path(path).lexically_normal();
  if (place.directory.empty() || here == here.root_path()) return there.string();
  const fs::path relative = there.lexically_relative(here);
  const auto up = std::count(relative.begin(), relative.end(), fs::path(".."));
  const auto depth = std::distance(here.begin(), here.end()) - 1;
  if (relative.empty() || up > kMostUp || depth - up < std::min<std::ptrdiff_t>(depth, 2)) {
    return there.string();
  }
  return relative.string();
}

std::string normal_path(const std::string& path, const KeyPlace& place) {
  const std::string near = from_here(path, place);
  if (near.empty() || near[0] != '/') return near;
  return below_temporary(near, place).value_or(near);
}

/// The argument with its absolute paths normalised: "-I/a/b", "--x=/a", "/a:/b".
std::string with_normal_paths(const std::string& word, const KeyPlace& place) {
  std::string normal;
  // Not recursive: a list of paths may be as long as an argument, 128 KiB.
  std::string_view rest = word;
  for (std::size_t slash = rest.find('/'); slash != rest.npos; slash = rest.find('/')) {
    const bool whole = slash == 0 || rest[slash - 1] == '=' || rest[slash - 1] == ':' ||
                       rest[slash - 1] == ',' || (rest[0] == '-' && slash == 2);
    if (!whole) return normal + fs::path(rest).lexically_normal().string();
    const std::size_t end = std::min(rest.find_first_of(":,=", slash), rest.size());
    normal += rest.substr(0, slash);
    normal += normal_path(std::string(rest.substr(slash, end - slash)), place);
    rest.remove_prefix(end);
  }
  return normal + std::string(rest);
}

/// Whether its digits affect the translation.
bool is_exact(const std::string& word) {
  return word.find('/') == std::string::npos && begins_with_one_of(kExactOptions, word);
}

std::string normal_word(const std::string& word, const KeyPlace& place) {
  return is_exact(word) ? word : without_numbers(with_normal_paths(word, place));
}

/// A command's words split into inputs and output.
struct Parts {
  std::vector<std::string> given;
  std::string output;  ///< File name of the first output.
};

Parts parts_of(const std::vector<std::string>& words) {
  Parts parts;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    const std::size_t equals = word.find('=');
    const std::string name = word.starts_with("--") ? word.substr(0, equals) : word;
    if (!holds(kOutputs, name)) {
      parts.given.push_back(word);
      continue;
    }
    const bool joined = name.size() < word.size();
    if (!joined && at + 1 < words.size()) ++at;
    if (!parts.output.empty()) continue;
    parts.output = base_name(joined ? word.substr(equals + 1) : words[at]);
  }
  return parts;
}

bool is_source(const std::string& word) {
  return holds(kSources, fs::path(word).extension().string());
}

bool is_object(const std::string& word) {
  const std::string extension = fs::path(word).extension().string();
  return extension == ".o" || extension == ".obj" || extension == ".a";
}

bool has_letter(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c); });
}

/// The subject of a job, for people: its source, the result that it links, or its first argument.
std::string subject_of(const RealCommand& command, const Parts& parts, const KeyPlace& place) {
  std::string first;
  for (std::size_t at = 1; at < parts.given.size(); ++at) {
    const std::string& word = parts.given[at];
    if (word.empty() || word[0] == '-') continue;
    const std::string name = base_name(with_normal_paths(word, place));
    if (name == command.program || !has_letter(name)) continue;
    if (is_source(name)) return name;
    if (first.empty()) first = name;
  }
  return is_object(first) && !parts.output.empty() ? parts.output : first;
}

/// Replaces everything that a shell, a table or a JSON body would have to quote.
std::string unquoted(std::string text, std::size_t most) {
  for (char& c : text) {
    const bool fits = is_alnum(c) || std::string_view("._-+#@=,").find(c) != std::string_view::npos;
    if (!fits) c = '_';
  }
  return text.substr(0, most);
}

/// FNV-1a, 64 bits, folded to 32. Source: draft-eastlake-fnv, section 2 and 3.
std::string digest_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3;
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x",
                static_cast<std::uint32_t>(hash ^ (hash >> 32)));
  return digits.data();
}

}  // namespace

KeyPlace key_place_here() {
  KeyPlace place;
  std::error_code none;
  place.directory = fs::current_path(none).string();
  const char* temporary = std::getenv("TMPDIR");
  if (temporary && *temporary == '/') place.temporary.insert(place.temporary.begin(), temporary);
  return place;
}

std::string program_of(std::span<const std::string> command) {
  return printable(real_command(command).program);
}

std::string job_key(std::span<const std::string> command, const KeyPlace& place) {
  const RealCommand real = real_command(command);
  if (real.words.empty()) return "";
  const Parts parts = parts_of(real.words);
  std::string text = real.program;
  for (std::size_t at = 1; at < parts.given.size(); ++at) {
    text += '\0' + normal_word(parts.given[at], place);
  }
  const std::string subject =
      unquoted(without_numbers(subject_of(real, parts, place)), kMostSubject);
  return unquoted(real.program, kMostProgram) + (subject.empty() ? "" : ":" + subject) + ":" +
         digest_of(text);
}

std::string job_variant(std::span<const std::string> command, const KeyPlace& place) {
  const RealCommand real = real_command(command);
  if (real.words.empty()) return "";
  const Parts parts = parts_of(real.words);
  std::string numbers;
  for (std::size_t at = 1; at < parts.given.size(); ++at) {
    if (!is_exact(parts.given[at]))
      numbers += numbers_in(with_normal_paths(parts.given[at], place));
  }
  if (!numbers.empty()) numbers.pop_back();
  return numbers.size() <= kMostVariant ? numbers : digest_of(numbers);
}

}  // namespace sluice
