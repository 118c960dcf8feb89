#include <string>

#include "config/name_check.h"
#include "config/option_types_queueing.h"
#include "config/schema_sections.h"
#include "config/stored_option.h"

namespace sluice {
namespace {

constexpr std::size_t kMostTimers = 1000;

constexpr auto build_option = options_of(
    "build", [](auto& config, const std::string&) -> auto& { return config.build; });

SchemaOption programs() {
  using Program = BuildOptions::Program;
  const auto kinds = word_type<Program>(
      {{"heavy", Program::heavy}, {"unknown", Program::unknown}, {"free", Program::free}});
  return build_option(
      "programs", "{}", "{swift-frontend: heavy, protoc: unknown, wrapper.sh: free}",
      map_type<Program>("map of words", "each one of " + kinds.allowed, problem_of_file_name,
                        scalar_part(kinds)),
      &BuildOptions::programs,
      "The class of a program, by its file name; of a script by that of the script. `heavy`: it "
      "needs a permit from its start, like a compiler. `unknown`: it needs one once it has run for "
      "50 ms. `free`: it needs none and is never held; for what only waits for others. A name "
      "given here counts before the list that Sluice comes with.");
}

}  // namespace

SchemaSection build_section() {
  return {
      "build",
      "",
      "Programs that `sluice build` governs, besides those that it knows; see build.md. A reload "
      "applies to builds that start from then on.",
      {programs(),
       build_option("timers", "[]", "[runtests, bats]", file_name_list_type({0, kMostTimers}),
                    &BuildOptions::timers,
                    "File names of programs that end or judge what runs below them by a clock of "
                    "their own, such as test runners; besides `timeout`, `ctest`, `pytest`, `meson "
                    "test` and `go test`."),
       build_option("timed_hold", "10s", "2s",
                    duration_type({std::chrono::seconds(0), std::chrono::hours(24)}),
                    &BuildOptions::timed_hold,
                    "The longest that a process waits below such a program; then it runs without a "
                    "permit, unless it waits for memory. 10s is short against the time limits of "
                    "most test runners. `0s`: it never waits.")}};
}

}  // namespace sluice
