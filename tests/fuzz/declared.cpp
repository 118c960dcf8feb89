// Job declarations in options: --lock, --resource, --param and --position.
#include "cli/declared.h"

#include <boost/json/serialize.hpp>

#include "service/protocol/submit.h"
#include "support/fuzz.h"
#include "support/split.h"

namespace sluice::fuzz {
namespace {

/// The daemon handles whatever was declared.
void check(const cli::Declared& declared, const char* field) {
  const auto* object = std::get_if<boost::json::object>(&declared);
  if (!object) return require(!std::get<std::string>(declared).empty(), "an error says what");
  boost::json::object body;
  body[field] = *object;
  parse_submit(boost::json::serialize(body));
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  std::vector<std::string> options;
  while (!text.empty()) options.emplace_back(cut(text, "\n"));
  check(cli::declared_locks(options), "locks");
  check(cli::declared_resources(options), "resources");
  check(cli::declared_params(options), "params");
  for (const std::string& option : options) cli::declared_position(option);
}
