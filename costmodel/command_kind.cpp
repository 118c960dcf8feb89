#include "costmodel/command_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "costmodel/real_command.h"

namespace sluice {
namespace {

using Words = std::vector<std::string>;
using View = std::string_view;

constexpr std::array<View, 15> kDrivers{"cc",      "c++",      "c89",  "c99",   "gcc",
                                        "g++",     "gfortran", "gdc",  "gnat",  "clang",
                                        "clang++", "icx",      "icpx", "flang", "tcc"};
constexpr std::array<View, 9> kLinkers{"ld",   "ld.bfd", "ld.gold", "ld.lld",  "ld.mold",
                                       "gold", "lld",    "mold",    "collect2"};

/// Options of a driver that print something and compile nothing, whatever else is given.
constexpr std::array<View, 7> kQuestions{"--version",        "-dumpversion", "-dumpmachine",
                                         "-dumpfullversion", "-dumpspecs",   "--help",
                                         "--target-help"};
constexpr std::array<View, 4> kQuestionBeginnings{"-print-", "--print-", "--help=", "-###"};
/// Only preprocess, or only write dependencies.
constexpr std::array<View, 6> kPreprocessing{
    "-E", "-M", "-MM", "--preprocess", "--dependencies", "--user-dependencies"};
constexpr std::array<View, 5> kNoLink{"-c", "-S", "-fsyntax-only", "--compile", "--assemble"};
/// Options of a driver whose value is the next word.
constexpr std::array<View, 34> kValued{
    "-o",       "-I",           "-L",         "-D",       "-U",          "-x",
    "-include", "-imacros",     "-isystem",   "-iquote",  "-idirafter",  "-isysroot",
    "-iprefix", "-iwithprefix", "-MF",        "-MT",      "-MQ",         "-MJ",
    "-T",       "-u",           "-z",         "-e",       "-l",          "-B",
    "-arch",    "-target",      "-Xlinker",   "-Xclang",  "-Xassembler", "-Xpreprocessor",
    "--param",  "-mllvm",       "-framework", "-dumpbase"};
constexpr std::array<View, 20> kSourceEndings{".c",   ".cc",  ".cpp", ".cxx", ".c++", ".C", ".m",
                                              ".mm",  ".i",   ".ii",  ".s",   ".S",   ".f", ".f90",
                                              ".f95", ".for", ".F",   ".F90", ".d",   ".cu"};

/// "g++" of "x86_64-linux-gnu-g++-12", "tidy" of "clang-tidy-16".
View family_of(View program) {
  while (true) {
    const std::size_t dash = program.rfind('-');
    const View last = dash == View::npos ? program : program.substr(dash + 1);
    const bool is_version = !last.empty() && std::isdigit(static_cast<unsigned char>(last[0]));
    if (!is_version || dash == View::npos) return last;
    program = program.substr(0, dash);
  }
}

bool names_source(View word) {
  const std::size_t dot = word.rfind('.');
  return dot != View::npos && holds(kSourceEndings, word.substr(dot));
}

/// What the words of a driver's command say about its inputs.
struct Inputs {
  bool any = false;
  bool sources = false;
};

Inputs inputs_of(const Words& words) {
  Inputs inputs;
  // The language of what follows: `-x c++ -`.
  bool is_named_language = false;
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (holds(kValued, word)) {
      is_named_language = is_named_language || word == "-x";
      ++at;
      continue;
    }
    const bool is_option = word.size() > 1 && word[0] == '-';
    if (word.empty() || is_option) continue;
    inputs.any = true;
    // Nothing is known of what a response file names, and standard input is no object.
    inputs.sources = inputs.sources || is_named_language || names_source(word) || word == "-";
  }
  return inputs;
}

CommandKind kind_of_driver(const Words& words) {
  bool links = true;
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (holds(kQuestions, word) || begins_with_one_of(kQuestionBeginnings, word) ||
        holds(kPreprocessing, word)) {
      return CommandKind::weightless;
    }
    if (holds(kNoLink, word)) links = false;
    if (holds(kValued, word)) ++at;
  }
  const Inputs inputs = inputs_of(words);
  if (!inputs.any) return CommandKind::weightless;
  return links && !inputs.sources ? CommandKind::link : CommandKind::compile;
}

CommandKind kind_of_linker(const Words& words) {
  const auto is_input = [](const std::string& word) { return !word.empty() && word[0] != '-'; };
  const bool any = words.size() > 1 && std::any_of(words.begin() + 1, words.end(), is_input);
  return any ? CommandKind::link : CommandKind::weightless;
}

/// cargo asks `rustc -vV` and `rustc - --print=cfg` before it compiles anything.
CommandKind kind_of_rustc(const Words& words) {
  constexpr std::array<View, 6> questions{"-vV", "-V", "--version", "-h", "--help", "-Vv"};
  const auto asks = [&](const std::string& word) { return holds(questions, word); };
  const auto is_crate = [](const std::string& word) { return word.ends_with(".rs"); };
  const bool compiles = std::any_of(words.begin() + 1, words.end(), is_crate) &&
                        std::none_of(words.begin() + 1, words.end(), asks);
  return compiles ? CommandKind::compile : CommandKind::weightless;
}

}  // namespace

CommandKind kind_of(std::span<const std::string> command) {
  const RealCommand real = real_command(command);
  // Several commands of a shell.
  const bool is_one = !real.words.empty() && real.words.back() != ";";
  if (!is_one || base_name(real.words[0]) != real.program) return CommandKind::other;
  // Cargo hands a wrapper the program that the workspace's own wrapper would run.
  if (real.program == "clippy-driver" && real.words.size() > 1 &&
      base_name(real.words[1]) == "rustc") {
    return kind_of_rustc({real.words.begin() + 1, real.words.end()});
  }
  if (real.program == "rustc" || real.program == "clippy-driver") return kind_of_rustc(real.words);
  const View family = family_of(real.program);
  if (holds(kDrivers, family)) return kind_of_driver(real.words);
  return holds(kLinkers, family) ? kind_of_linker(real.words) : CommandKind::other;
}

}  // namespace sluice
