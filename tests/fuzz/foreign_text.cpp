// Untrusted text shown to people and programs: names, messages, output of commands.
#include <boost/json/parse.hpp>

#include "base/json_writer.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/terminal/terminal.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

/// Boost.JSON rejects anything that is not UTF-8.
std::string read_as_json(const std::string& text) {
  boost::json::error_code error;
  const auto value = boost::json::parse({text.data(), text.size()}, error);
  require(!error && value.is_string(), "what is written is JSON");
  return std::string(value.get_string());
}

std::string as_json(std::string_view text) {
  std::string out;
  JsonWriter(out).value(text);
  return out;
}

bool is_one_line(std::string_view text) {
  for (const unsigned char c : text) {
    if (c < 0x20 || c == 0x7f) return false;
  }
  return true;
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  const std::string written = read_as_json(as_json(text));
  require(read_as_json(as_json(written)) == written, "good text stays as it is");
  const std::string shown = printable(text, 64);
  require(shown.size() <= 64 && is_one_line(shown), "printable text is one line");
  require(read_as_json(as_json(shown)) == shown, "and UTF-8");
  require(is_one_line(quote_text(text)), "quoted text is one line");
  const std::string safe = cli::harmless(std::string(text));
  require(is_one_line(safe) && read_as_json(as_json(safe)) == safe, "harmless text likewise");
}
