#include "config/name_check.h"

#include <variant>

#include "base/suggest.h"
#include "base/values.h"
#include "sluice/job.h"
#include "sluice/locks.h"

namespace sluice {
namespace {

constexpr std::size_t kLongestSensorName = 64;

/// The locks with a different name for each `{param}`, or the error in the template.
std::variant<LevelLocks, std::string> parse_template(std::string_view text) {
  if (std::string problem = problem_of_braces(text); !problem.empty()) return problem;
  int number = 0;
  const auto name = [&](auto) { return std::optional("p" + std::to_string(number++)); };
  return parse_locks("", *fill_braces(text, name));
}

std::string problem_of_line(std::string_view line, std::size_t most) {
  if (line.empty()) return "must not be empty";
  if (line.size() > most) return "must have at most " + std::to_string(most) + " bytes";
  const bool control = std::holds_alternative<ValueError>(parse_text(line));
  return control ? "must not have control characters" : "";
}

}  // namespace

std::string problem_of_label(std::string_view label) {
  return problem_of_line(label, kMostNameBytes);
}

std::string problem_of_key(std::string_view key) { return problem_of_line(key, kMostKeyBytes); }

std::string problem_of_file_name(std::string_view name) {
  std::string problem = problem_of_label(name);
  if (!problem.empty()) return problem;
  const bool has_folder = name.find('/') != name.npos || name == "." || name == "..";
  return has_folder ? "must be a file name without a folder, such as cc1plus" : "";
}

std::string problem_of_sensor_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  const bool fits = !name.empty() && name.size() <= kLongestSensorName &&
                    name.find_first_not_of(kLetters) == name.npos;
  return fits ? "" : "must be of a-z, 0-9 and _, and at most 64 letters";
}

std::string problem_of_lock_template(std::string_view text) {
  const auto locks = parse_template(text);
  const auto* problem = std::get_if<std::string>(&locks);
  return problem != nullptr ? *problem : "";
}

std::size_t count_lock_names(std::string_view text) {
  const auto parsed = parse_template(text);
  const auto* locks = std::get_if<LevelLocks>(&parsed);
  return locks != nullptr ? locks->shared.size() + locks->exclusive.size() : 0;
}

std::string unknown_name(const std::string& what, std::string_view name,
                         const std::vector<std::string>& known) {
  const bool is_declared = known.empty() && what == "resource manager";
  return "unknown " + what + " " + quote_text(name) +
         did_you_mean(name, known,
                      "; " + (is_declared ? "declare it under `resources:`" : there_are(known)));
}

}  // namespace sluice
