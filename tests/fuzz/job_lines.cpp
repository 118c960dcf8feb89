// A file of jobs of `sluice replay`, one JSON object per line.
#include "cli/replay/jobs.h"
#include "support/fuzz.h"
#include "support/split.h"

void sluice::fuzz::one_input(std::string_view text) {
  static cli::JobLineParser parser;
  while (!text.empty()) {
    const auto parsed = parser.parse(cut(text, "\n"));
    if (const auto* problem = std::get_if<std::string>(&parsed)) {
      require(!problem->empty(), "an error says what is wrong");
      continue;
    }
    const auto& job = std::get<ScenarioJob>(parsed);
    require(!job.request.id.empty(), "a job has an id");
    require(job.at >= Duration{0} && job.runs >= Duration{0}, "times are not negative");
  }
}
