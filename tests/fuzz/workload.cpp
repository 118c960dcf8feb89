// The input of `sluice demo`: a compile database, or lines of commands.
#include "cli/workload.h"

#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

void check(const cli::Workload& workload) {
  const auto* items = std::get_if<std::vector<cli::WorkItem>>(&workload);
  if (!items) return require(!std::get<std::string>(workload).empty(), "an error says why");
  require(!items->empty(), "there is something to run");
  for (const cli::WorkItem& item : cli::repeated(*items, items->size() + 2)) {
    require(!item.argv.empty(), "and it is a command");
  }
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  check(cli::from_compile_commands(text, "/tmp/objects"));
  check(cli::from_lines(text));
}
