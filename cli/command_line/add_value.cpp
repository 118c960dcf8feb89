#include "cli/command_line/add_value.h"

#include "base/parse.h"

namespace sluice::cli {

std::string problem_of_empty(const std::string& value) {
  return value.empty() ? "must not be empty" : "";
}

void require_decimal(CLI::Option& option, std::uint64_t least, std::uint64_t most) {
  const auto read = [least, most](std::string& text) -> std::string {
    const auto number = parse_u64(text);
    if (!number || *number < least || *number > most) return "is not in the range";
    text = std::to_string(*number);
    return "";
  };
  option.transform(CLI::Validator(
      read, "UINT in [" + std::to_string(least) + " - " + std::to_string(most) + "]"));
}

}  // namespace sluice::cli
