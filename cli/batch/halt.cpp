#include "cli/batch/halt.h"

#include <array>
#include <utility>

#include "base/parse.h"

namespace sluice::cli {
namespace {

/// A percentage of few jobs means little.
constexpr std::size_t kLeastForPercent = 3;

const char* const kExpected =
    "--halt must be never, or soon or now with fail, success or done and a number or percentage, "
    "such as soon,fail=1 or now,success=1 or soon,fail=20%";

using When = BatchHalt::When;
using Why = BatchHalt::Why;

const std::array<std::pair<std::string_view, BatchHalt>, 6> kShortForms{{
    {"never", {}},
    {"0", {}},
    {"1", {When::soon, Why::fail, 1, std::nullopt}},
    {"2", {When::now, Why::fail, 1, std::nullopt}},
    {"-1", {When::soon, Why::success, 1, std::nullopt}},
    {"-2", {When::now, Why::success, 1, std::nullopt}},
}};

bool read_amount(std::string_view text, BatchHalt& halt) {
  if (text.ends_with('%')) {
    halt.percent = parse_as<double>(text.substr(0, text.size() - 1));
    return halt.percent && *halt.percent > 0 && *halt.percent <= 100;
  }
  halt.count = parse_as<std::size_t>(text).value_or(0);
  return halt.count > 0;
}

bool consume_prefix(std::string_view word, std::string_view& text) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool read_when(std::string_view& text, BatchHalt& halt) {
  halt.when = text.starts_with("soon,") ? When::soon : When::now;
  return consume_prefix("soon,", text) || consume_prefix("now,", text);
}

bool read_why(std::string_view& text, BatchHalt& halt) {
  for (const auto& [word, why] :
       {std::pair("fail=", Why::fail), std::pair("success=", Why::success),
        std::pair("done=", Why::done)}) {
    halt.why = why;
    if (consume_prefix(word, text)) return true;
  }
  return false;
}

std::size_t counted(const BatchHalt& halt, const BatchCounts& counts) {
  if (halt.why == Why::fail) return counts.failed;
  if (halt.why == Why::success) return counts.succeeded;
  return counts.failed + counts.succeeded;
}

}  // namespace

std::variant<BatchHalt, std::string> parse_halt(std::string_view text) {
  for (const auto& [form, halt] : kShortForms) {
    if (text == form) return halt;
  }
  BatchHalt halt{When::soon, Why::fail, 1, std::nullopt};
  if (text.ends_with('%') && read_amount(text, halt)) return halt;
  halt.percent.reset();
  std::string_view rest = text;
  if (read_when(rest, halt) && read_why(rest, halt) && read_amount(rest, halt)) return halt;
  return kExpected + std::string(", not \"") + std::string(text) + "\"";
}

bool halts(const BatchHalt& halt, const BatchCounts& counts) {
  if (halt.when == When::never) return false;
  const std::size_t count = counted(halt, counts);
  if (!halt.percent) return count >= halt.count;
  return count >= kLeastForPercent &&
         static_cast<double>(count) * 100 >= *halt.percent * static_cast<double>(counts.known);
}

}  // namespace sluice::cli
